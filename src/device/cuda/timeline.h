// Timeline: how far a stream of the driver has come, by events behind its work.
#pragma once

#include "device/cuda/captures.h"
#include "device/cuda/event_pool.h"
#include "device/stream.h"
#include "device/stream_reports.h"

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace treadle::cuda {

/// Work that may run although nobody waits for it any more, as a wait has failed or the host has ended it.
class UnawaitedWork {
public:
  void note() { noted.fetch_add(1); }
  /// Calls `wait`, which must wait for the whole device, if there may be such work. While it throws there still may.
  template <typename Wait> void settle(const Wait &wait) {
    const uint64_t seen = noted.load();
    if (seen == settled.load()) [[likely]]
      return;
    wait();
    settled.store(seen);
  }

private:
  std::atomic<uint64_t> noted{0};
  std::atomic<uint64_t> settled{0}; ///< of those noted; behind what others know, at worst
};

/// What all streams of one device share.
struct StreamHome {
  Context &context;
  EventPool &events;
  UnawaitedWork &unawaited;
  Captures &captures;
  const std::shared_ptr<StreamReports> reports;
};

/// Work has a position as soon as the driver has taken it: `advance` is called after the driver's call. A *marker* is
/// an event that completes behind all work up to its position, so its position is taken before it is recorded.
/// Nothing is recorded for a launch: a marker is made where someone wants to know (`look`, `waitFor`, `eventAt`).
///
/// No thread watches the stream: `isComplete` says what the last look has found.
class Timeline final : public StreamTimeline, public std::enable_shared_from_this<Timeline> {
public:
  using Kind = Stream::Kind;
  struct Options {
    StreamHandle handle = nullptr;
    Kind kind = Kind::Blocking;
    bool isOfThread = false; ///< the default stream of the thread that makes this object
    bool isExternal = false; ///< other software may destroy the stream at any time
  };
  Timeline(const StreamHome &home, const Options &options)
      : home(home), options(options), name(home.reports->nameStream()), owner(std::this_thread::get_id()) {}

  /// The driver has taken one more piece of work.
  uint64_t advance() { return given.fetch_add(1) + 1; }
  uint64_t lastPosition() const { return given.load(); }
  /// Something to do once the position is complete, before anyone learns that it is: `owners` are dropped; `verdict`
  /// may throw what failed, which is reported with `origin`.
  struct Ending {
    uint64_t position = 0;
    HeldOwners owners = {};
    std::function<void()> verdict = {};
    LaunchOrigin *origin = nullptr;
  };
  void addEnding(Ending ending);

  /// Records an event as the next piece of work. The stream must be open.
  struct Marker {
    uint64_t position = 0;
    std::shared_ptr<const PooledEvent> event;
  };
  Marker mark(bool hasTime);
  /// An event that completes when the position is complete, or later; null: it is complete.
  std::shared_ptr<const PooledEvent> eventAt(uint64_t position);

  /// The capture that the stream is in, or null. Cheap for streams that nobody can capture. Throws DeviceError as
  /// Captures::of does.
  std::shared_ptr<Capture> capture();
  bool isCaptured() { return isWatched() && capture() != nullptr; }

  void look() noexcept override;
  bool waitFor(uint64_t position, std::chrono::milliseconds time) override;
  /// Kernels on a GPU cannot be ended.
  void interrupt() override { home.unawaited.note(); }
  uint64_t interruptedUpTo() const override { return 0; }
  std::exception_ptr takeFailure(uint64_t position) override { return home.reports->takeFailure(name, position); }
  TraceTrack track() const override { return {home.reports.get(), name}; }

  /// The stream is about to be destroyed, or its thread ends: a last marker is made while it can be.
  void close() noexcept;
  bool isClosed() const { return closed.load(); }
  /// The context was reset: nothing of it runs any more.
  void abandon();
  /// A reset of the device has begun since the stream was made. It waits for the work so far, so this can be marked
  /// until the stream is abandoned.
  void retire() { retired.store(true); }
  bool isRetired() const { return retired.load(std::memory_order_relaxed); }

  /// For errors that show later: the kernel launched last. `name` lives as long as the process.
  void noteKernel(const char *name) { lastKernel.store(name, std::memory_order_relaxed); }

  const StreamHome home;
  const Options options;
  const uint64_t name; ///< in the reports

private:
  /// Within a Current.
  Marker markWithin(bool hasTime);
  void ensureMarker(uint64_t position);
  bool mayRecord();
  void poll();
  enum class Verdicts : uint8_t { Asked, Dropped };
  void complete(uint64_t position, Verdicts verdicts);
  std::string operation() const;
  StreamHandle handleToRecord() const;

  std::atomic<uint64_t> given{0};
  std::atomic<const char *> lastKernel{nullptr};
  std::atomic<bool> closed{false}, retired{false};
  std::atomic<bool> isVoid{false}; ///< the stream went with its context
  const std::thread::id owner;
  std::mutex mutex;
  std::deque<Marker> markers; ///< by position; guarded by mutex, as the next two
  std::deque<Ending> endings; ///< by position
  uint64_t marked = 0;        ///< of the last marker
  std::mutex settling;        ///< held while endings run: they are over before `completed` says so
};

} // namespace treadle::cuda
