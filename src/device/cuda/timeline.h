// Timeline: the progress of a driver stream, measured by events after its work.
#pragma once

#include "device/cuda/captures.h"
#include "device/cuda/driver/event_pool.h"
#include "device/queued_work.h"
#include "device/stream_reports.h"

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace treadle::cuda {

/// Work that may still run although it is no longer waited for, as a wait has failed or the host has cancelled it.
class UnawaitedWork {
public:
  void note() { noted.fetch_add(1); }
  /// Calls `wait`, which must wait for the whole device, if such work may exist. If it throws, it still may.
  template <typename Wait> void settle(const Wait &wait) {
    const uint64_t seen = noted.load();
    if (seen == settled.load()) [[likely]]
      return;
    wait();
    settled.store(seen);
  }

private:
  std::atomic<uint64_t> noted{0};
  std::atomic<uint64_t> settled{0}; ///< number of noted works that are settled; may lag
};

class Timeline;

/// A driver stream created by Treadle, or a thread's default stream: destroyed with its last user. A thread must be a
/// user while it passes the stream to the driver, which crashes when queried about a destroyed stream.
class OwnStream {
public:
  explicit OwnStream(std::shared_ptr<Timeline> timeline);
  OwnStream(const OwnStream &) = delete;
  OwnStream &operator=(const OwnStream &) = delete;
  /// Queued work runs to completion.
  ~OwnStream();

private:
  const std::shared_ptr<Timeline> timeline;
  const uint64_t generation; ///< of the context, when the stream was created
};

/// State shared by all streams of one device.
struct StreamHome {
  Context &context;
  EventPool &events;
  UnawaitedWork &unawaited;
  Captures &captures;
  const std::shared_ptr<StreamReports> reports;
};

/// Work gets a position once the driver has accepted it: `advance` is called after the driver's call. A *marker* is an
/// event that completes after all work up to its position, so its position is assigned before it is recorded. Nothing
/// is recorded for a launch: a marker is recorded on demand (`look`, `waitFor`, `eventAt`).
///
/// No thread watches the stream: `isComplete` returns the result of the last poll.
class Timeline final : public StreamTimeline, public std::enable_shared_from_this<Timeline> {
public:
  using Kind = Stream::Kind;
  struct Options {
    StreamHandle handle = nullptr;
    Kind kind = Kind::Blocking;
    bool isOfThread = false; ///< the default stream of the thread that constructs this object
    bool isExternal = false; ///< other software may destroy the stream at any time
    bool isOwn() const { return handle && !isExternal; }
  };
  Timeline(const StreamHome &home, const Options &options)
      : home(home), options(options), name(home.reports->nameStream()), owner(std::this_thread::get_id()) {}

  /// Counts another piece of work that the driver has accepted.
  uint64_t advance() { return given.fetch_add(1) + 1; }
  uint64_t lastPosition() const { return given.load(); }
  /// An action for when the position is complete, before any thread sees that it is: `owners` are dropped; `verdict`
  /// may throw a failure, which is reported with `origin`.
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
  /// An event that completes when the position is complete, or later; null: it is already complete.
  std::shared_ptr<const PooledEvent> eventAt(uint64_t position);

  /// The capture that the stream is in, or null. Cheap for streams that cannot be captured. Throws DeviceError as
  /// Captures::of does.
  std::shared_ptr<Capture> capture();
  bool isCaptured() { return isWatched() && capture() != nullptr; }

  /// Makes the calling thread a user of the driver's stream, so that it can be passed to the driver. `isThere` false:
  /// it was destroyed.
  struct Held {
    std::shared_ptr<OwnStream> own; ///< null: foreign, or the driver's
    bool isThere = false;
  };
  Held hold() const;
  void belongTo(const std::shared_ptr<OwnStream> &stream) { own = stream; }

  void look() noexcept override;
  bool waitFor(uint64_t position, std::chrono::milliseconds time) override;
  /// Kernels on a GPU cannot be cancelled.
  void interrupt() override { home.unawaited.note(); }
  uint64_t interruptedUpTo() const override { return 0; }
  std::exception_ptr takeFailure(uint64_t position) override { return home.reports->takeFailure(name, position); }
  TraceTrack track() const override { return {home.reports.get(), name}; }

  /// Called by the stream's last user, before it is destroyed or its thread ends, to record a last marker.
  void close() noexcept;
  bool isClosed() const { return closed.load(); }
  /// The context was reset: none of its work runs any more.
  void abandon();
  /// A reset of the device has begun since the stream was created. It waits for the work so far, so markers can be
  /// recorded until the stream is abandoned.
  void retire() { retired.store(true); }
  bool isRetired() const { return retired.load(std::memory_order_relaxed); }

  /// For asynchronous errors: the kernel launched last. `name` lives as long as the process.
  void noteKernel(const char *name) { lastKernel.store(name, std::memory_order_relaxed); }

  const StreamHome home;
  const Options options;
  const uint64_t name; ///< in the reports

private:
  /// Within a Current.
  Marker markWithin(bool hasTime);
  void ensureMarker(uint64_t position);
  void makeMarker(uint64_t position);
  bool isMarked(uint64_t position);
  bool mayRecord();
  void poll();
  enum class Verdicts : uint8_t { Asked, Dropped };
  void complete(uint64_t position, Verdicts verdicts);
  std::string operation() const;
  StreamHandle handleToRecord() const;

  std::atomic<uint64_t> given{0};
  std::atomic<const char *> lastKernel{nullptr};
  std::atomic<bool> closed{false}, retired{false};
  std::atomic<bool> isVoid{false}; ///< the stream was destroyed with its context
  const std::thread::id owner;
  std::weak_ptr<OwnStream> own; ///< constant once the stream is made
  std::mutex mutex;
  std::deque<Marker> markers; ///< by position; guarded by mutex, as the next two
  std::deque<Ending> endings; ///< by position
  uint64_t marked = 0;        ///< of the last marker
  std::mutex settling;        ///< held while endings run: they finish before `completed` is updated
};

} // namespace treadle::cuda
