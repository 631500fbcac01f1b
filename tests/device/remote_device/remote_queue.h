// RemoteQueue: the work queued on one stream of the remote device, and the thread that runs it: later than asked,
// unless a thread waits for it.
#pragma once

#include "device/stream.h"

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
  struct Failure {
    const RemoteQueue *queue;
    uint64_t position;
    std::exception_ptr failure; ///< a QueuedFailure
  };

  std::vector<std::shared_ptr<RemoteQueue>> all();
  /// The failures that fulfil the predicate, each once, as a QueuedFailure; or null.
  std::exception_ptr take(const std::function<bool(const Failure &)> &isWanted);
  /// Passes printed text to the host.
  void tellPrinted(LaunchWatcher &watcher);

  std::function<void()> interruptExecutor; ///< ends running kernels
  std::mutex order;                        ///< held while work gets its position: one order for all streams
  std::mutex mutex;                        ///< guards what follows
  std::vector<std::weak_ptr<RemoteQueue>> queues;
  std::vector<Failure> failures;
  std::string printed;
};

class RemoteQueue final : public StreamTimeline, public std::enable_shared_from_this<RemoteQueue> {
public:
  enum class Kind : uint8_t { Legacy, Blocking, NonBlocking };
  RemoteQueue(const std::shared_ptr<RemoteStreams> &streams, Kind kind, bool endsWithReset)
      : streams(streams), kind(kind), endsWithReset(endsWithReset), chance(std::random_device{}()) {}

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

  void wait(uint64_t position) override {
    while (!waitFor(position, std::chrono::hours(1)))
      ;
  }
  bool waitFor(uint64_t position, std::chrono::milliseconds time) override;
  void interrupt() override;
  uint64_t interruptedUpTo() const override { return interrupted.load(); }
  std::exception_ptr takeFailure(uint64_t position) override;

  const std::shared_ptr<RemoteStreams> streams;
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
