// StreamQueue: what was put on one stream of the CPU device, and the thread that runs it.
#pragma once

#include "device/stream.h"

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace treadle::cpu {

/// Runs on the queue's thread, in its turn, and is gone before it counts as complete.
class QueuedWork {
public:
  virtual ~QueuedWork() = default;
  /// What it throws is kept for whoever waits for the stream.
  virtual void run() = 0;
  /// Whom QueuedFailure tells of.
  virtual std::shared_ptr<const void> origin() const { return nullptr; }

  std::vector<StreamPoint> after; ///< it waits for these first
  uint64_t position = 0;          ///< in its queue
};

/// The work of one stream in its order. Positions are given by StreamSet, which knows who waits for whom.
///
/// The thread begins with the first work that is queued, and holds the queue alive until it is empty and nobody else
/// has it. It never takes the host's lock.
class StreamQueue final : public StreamTimeline, public std::enable_shared_from_this<StreamQueue> {
public:
  /// `unfinished`, which may be null, falls by one with each position that completes.
  explicit StreamQueue(std::shared_ptr<std::atomic<uint64_t>> unfinished);
  ~StreamQueue() override;

  /// A new position; StreamSet's lock is held.
  uint64_t next() {
    if (unfinished)
      unfinished->fetch_add(1);
    const uint64_t position = submitted.load(std::memory_order_relaxed) + 1;
    submitted.store(position, std::memory_order_release);
    return position;
  }
  uint64_t lastPosition() const { return submitted.load(std::memory_order_acquire); }
  /// The last position is that of work which runs on its caller's thread; StreamSet's lock is held.
  bool lastRunsElsewhere() const { return lastPosition() != lastQueued; }
  bool isIdle() const { return isComplete(lastPosition()); }
  StreamPoint last() { return {shared_from_this(), lastPosition()}; }
  /// At the next position; StreamSet's lock is held, which makes pushers one after the other.
  void push(std::unique_ptr<QueuedWork> work);
  /// Work of this position has run, by whomever.
  void complete(uint64_t position);
  /// The thread ends when nothing is left.
  void close();

  bool isComplete(uint64_t position) const override { return completed.load() >= position; }
  void wait(uint64_t position) override;

  /// The first failure since the last call.
  std::exception_ptr takeFailure();
  /// Its device was reset: nothing more is put on it.
  void retire() { retired.store(true); }
  bool isRetired() const { return retired.load(std::memory_order_relaxed); }
  /// After a fork, in the child: the work of the parent is not this process's.
  void forget();

private:
  void start();
  static void serve(std::shared_ptr<StreamQueue> self);
  std::unique_ptr<QueuedWork> take();
  std::unique_ptr<QueuedWork> takeNext();
  bool sleepUntilWork();
  void runOne(std::unique_ptr<QueuedWork> work);

  /// Work that was pushed, in pieces of a list: only pushers write it, one at a time, and only the thread takes from
  /// it.
  struct Piece {
    static constexpr unsigned size = 64;
    std::array<QueuedWork *, size> works;
    std::unique_ptr<Piece> next;
  };
  bool isEmpty() const { return pushed.load() == taken; }

  const std::shared_ptr<std::atomic<uint64_t>> unfinished;
  std::atomic<uint64_t> submitted{0}, completed{0};
  std::atomic<bool> retired{false};
  std::atomic<uint32_t> waiting{0}; ///< threads in `wait`
  std::atomic<uint64_t> pushed{0};  ///< number of works; stored after the work's place is written
  std::unique_ptr<Piece> first;     ///< of the thread: has the next work, or will have it
  Piece *filling = nullptr;         ///< of pushers
  uint64_t lastQueued = 0;          ///< of pushers: position of the last work
  uint64_t taken = 0;               ///< of the thread
  std::atomic<bool> hasThread{false}, sleeps{false}, isClosed{false};
  std::mutex mutex;
  std::condition_variable arrived, finished;
  std::exception_ptr failure; ///< guarded by mutex
};

} // namespace treadle::cpu
