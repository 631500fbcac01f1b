// StreamQueue: the work queued on one stream of the CPU device, and the thread that runs it.
#pragma once

#include "device/stream_reports.h"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace treadle::cpu {

class CpuCapture;
class StreamSet;

/// Runs on the queue's thread in its turn, and is destroyed before it counts as complete.
class QueuedWork {
public:
  virtual ~QueuedWork() = default;
  /// Exceptions are kept for the next wait for the stream. `interrupted`: the position up to which the stream was
  /// cancelled, including this work if its position is not higher.
  virtual void run(const std::atomic<uint64_t> &interrupted) = 0;
  /// Its name in traces; empty: it is not traced.
  virtual std::string_view label() const { return {}; }

  std::vector<StreamPoint> after; ///< waits for these first
  LaunchOrigin *origin = nullptr; ///< of a launch
  uint64_t position = 0;          ///< in its queue
};

/// The work of one stream in order. Positions are assigned by StreamSet, which knows the dependencies.
///
/// A producer and the thread that runs the work are often active at the same time. So they write to different cache
/// lines, and the memory of work circulates between the two: blocks allocated by one thread and freed by another would
/// contend for malloc's lock.
///
/// The thread starts with the first queued work, and keeps the queue alive until it is empty and has no other owner. It
/// never takes the host's lock.
class StreamQueue final : public StreamTimeline, public std::enable_shared_from_this<StreamQueue> {
public:
  StreamQueue(std::weak_ptr<StreamSet> set, std::shared_ptr<StreamReports> reports)
      : reports(std::move(reports)), name(this->reports->nameStream()), set(std::move(set)) {}
  ~StreamQueue() override;

  const std::shared_ptr<StreamReports> reports; ///< of all streams of the device
  const uint64_t name;                          ///< of this stream in `reports`

  /// A new position. Precondition: StreamSet's lock is held.
  uint64_t next() {
    const uint64_t position = submitted.load(std::memory_order_relaxed) + 1;
    submitted.store(position, std::memory_order_release);
    return position;
  }
  uint64_t lastPosition() const { return submitted.load(std::memory_order_acquire); }
  /// As `next`, for work that runs on its caller's thread.
  uint64_t nextOnCaller() {
    const uint64_t position = next();
    lastOnCaller.store(position, std::memory_order_relaxed);
    return position;
  }
  /// Whether the last work runs on its caller's thread. Precondition: StreamSet's lock is held.
  bool lastRunsElsewhere() const { return lastPosition() != lastQueued; }
  /// The end of the work that a caller's thread runs; complete if there is none.
  StreamPoint runningOnCaller() {
    const uint64_t position = lastOnCaller.load(std::memory_order_relaxed);
    return isComplete(position) ? StreamPoint() : StreamPoint{shared_from_this(), position};
  }
  bool isIdle() const { return isComplete(lastPosition()); }
  StreamPoint last() { return {shared_from_this(), lastPosition()}; }

  /// Called before work is queued, as it may throw, and again afterwards: a thread that found the queue empty may have
  /// ended meanwhile. The thread keeps the set alive.
  void needThread(StreamSet &user) {
    if (!hasThread.load()) [[unlikely]]
      start(user);
  }
  /// Constructs work in the next slot. StreamSet's lock is held from here until it is pushed.
  template <typename WorkType, typename... Arguments> WorkType &make(Arguments &&...arguments) {
    static_assert(sizeof(WorkType) <= sizeof(Place::bytes) && alignof(WorkType) <= alignof(Place));
    return *new (nextPlace().bytes) WorkType(std::forward<Arguments>(arguments)...);
  }
  /// Queues the constructed work, at the next position.
  void push(QueuedWork &work);
  /// The work at this position has run, on any thread.
  void complete(uint64_t position);
  /// The thread ends when the queue is empty.
  void close();

  bool waitFor(uint64_t position, std::chrono::milliseconds time) override;
  void interrupt() override;
  uint64_t interruptedUpTo() const override { return interrupted.load(); }
  const std::atomic<uint64_t> &interruptMark() const { return interrupted; }
  /// Cancels the work queued so far on this one stream.
  void endGiven();

  std::exception_ptr takeFailure(uint64_t position) override { return reports->takeFailure(name, position); }
  TraceTrack track() const override { return {reports.get(), name}; }
  /// The device was reset: queueing is an error from now on.
  void retire() { retired.store(true); }
  bool isRetired() const { return retired.load(std::memory_order_relaxed); }
  /// In the child of a fork: drops the work of the parent.
  void forget();

  /// The capture that records the stream's work instead of running it; null: none.
  std::shared_ptr<CpuCapture> capture() {
    if (!isWatched()) [[likely]]
      return nullptr;
    const std::lock_guard lock(mutex);
    return captured;
  }
  void setCapture(std::shared_ptr<CpuCapture> capture);

private:
  static constexpr uint64_t nothing = ~uint64_t(0);
  static constexpr size_t line = 64;

  struct alignas(line) Place {
    QueuedWork *work; ///< in `bytes`
    alignas(16) std::byte bytes[496];
  };
  /// A segment of the list of works. Written by producers, one at a time; read by the queue's thread.
  struct Piece {
    static constexpr unsigned size = 16;
    std::array<Place, size> places;
    std::unique_ptr<Piece> next;
  };

  Place &nextPlace();
  void start(StreamSet &user);
  /// The thread owns its arguments.
  static void serve(const std::shared_ptr<StreamQueue> &self, const std::shared_ptr<const void> &user);
  QueuedWork *take();
  QueuedWork *takeNext();
  bool sleepUntilWork();
  void runOne(QueuedWork &work);
  void awaitOthers(const QueuedWork &work);
  void stopAsking();
  bool isEmpty() const { return pushed.load() == taken; }

  /// Written by producers.
  alignas(line) std::atomic<uint64_t> submitted{0};
  std::atomic<uint64_t> pushed{0}; ///< number of works; stored after the work's slot is written
  Piece *filling = nullptr;
  unsigned filled = 0;     ///< slots used in `filling`
  uint64_t lastQueued = 0; ///< position of the last work
  std::atomic<uint64_t> lastOnCaller{0};

  /// Written by the queue's thread, and by callers that run work themselves.
  alignas(line) uint64_t taken = 0;
  std::unique_ptr<Piece> first; ///< holds the next work, or will hold it

  /// Rarely written.
  alignas(line) std::atomic<bool> retired{false};
  std::atomic<bool> hasThread{false}, sleeps{false}, isClosed{false};
  std::atomic<uint64_t> awaited{nothing}; ///< a position at or before the first that a thread in `wait` waits for
  std::atomic<Piece *> spare{nullptr};    ///< owned; the thread is done with it
  std::mutex mutex;
  std::condition_variable arrived, finished;
  std::atomic<uint64_t> interrupted{0};
  bool asksKernels = false; ///< safepointRequests() counts one for interrupted work; guarded by mutex, as the next
  std::shared_ptr<CpuCapture> captured;
  const std::weak_ptr<StreamSet> set;
};

} // namespace treadle::cpu
