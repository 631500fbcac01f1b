// RemoteQueue: the work queued on one stream of the remote device, and the thread that runs it: later than asked,
// unless a thread waits for it.
#pragma once

#include "device/stream_reports.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <random>

namespace remote {

using namespace treadle;

class RemoteQueue;

/// State shared by all streams of one device. Kept alive by the threads of queues.
struct RemoteStreams {
  std::vector<std::shared_ptr<RemoteQueue>> all();

  const std::shared_ptr<StreamReports> reports;
  std::function<void()> interruptExecutor = {}; ///< ends running kernels
  std::mutex order = {};                        ///< held while work gets its position: one order for all streams
  std::mutex mutex = {};                        ///< guards `queues`
  std::vector<std::weak_ptr<RemoteQueue>> queues = {};
};

class RemoteQueue final : public StreamTimeline, public std::enable_shared_from_this<RemoteQueue> {
public:
  using Kind = Stream::Kind;
  RemoteQueue(const std::shared_ptr<RemoteStreams> &streams, Kind kind, bool endsWithReset)
      : streams(streams), name(streams->reports->nameStream()), kind(kind), endsWithReset(endsWithReset),
        chance(std::random_device{}()) {}

  struct Work {
    std::function<void(uint64_t position)> run = {};
    HeldOwners held = {};
    LaunchOrigin *origin = nullptr;
    std::vector<StreamPoint> after = {};
    uint64_t position = 0;
  };
  /// Throws DeviceError after a reset.
  StreamPoint push(Work work);
  StreamPoint last();
  /// The thread ends when no work is left.
  void close();
  /// The queues whose work this queue's work waits for.
  std::vector<std::shared_ptr<RemoteQueue>> others() const;
  bool isInterrupted(uint64_t position) const { return interrupted.load() >= position; }
  void endGiven();

  bool waitFor(uint64_t position, std::chrono::milliseconds time) override;
  void interrupt() override;
  uint64_t interruptedUpTo() const override { return interrupted.load(); }
  std::exception_ptr takeFailure(uint64_t position) override { return streams->reports->takeFailure(name, position); }
  TraceTrack track() const override { return {streams->reports.get(), name}; }

  const std::shared_ptr<RemoteStreams> streams;
  const uint64_t name; ///< in the reports
  const Kind kind;
  const bool endsWithReset;
  std::atomic<bool> isRetired{false};

private:
  void serve();
  void runOne(Work work);

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Work> works; ///< guarded by mutex, as the next ones
  uint64_t submitted = 0;
  uint64_t wanted = 0; ///< a thread waits for the position
  bool hasThread = false, isClosed = false;
  std::minstd_rand chance; ///< of the thread
  std::atomic<uint64_t> interrupted{0};
};

} // namespace remote
