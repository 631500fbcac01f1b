// Persistent threads that share the units of one launch with the launching thread.
#pragma once

#include "support/fork_gate.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace treadle::cpu {

/// Numbered units that may run in any order on any thread. Lives until WorkerPool::share has returned.
class Work {
public:
  explicit Work(uint64_t units) : units(units) {}
  /// Runs units [first, last) on the calling thread.
  virtual void run(uint64_t first, uint64_t last) noexcept = 0;
  /// Polled on threads that run units, or wait for others that do. False: no further unit may start.
  virtual bool shouldContinue() noexcept { return stop.load(std::memory_order_relaxed) == 0; }

  /// The next chunk of at least `smallest` units (fewer at the end), a decreasing share of the rest; false at the end.
  bool take(uint64_t &first, uint64_t &last);
  uint64_t remaining() const { return units - next.load(std::memory_order_relaxed); }

  const uint64_t units;
  /// The first unit not yet taken.
  std::atomic<uint64_t> next{0};
  uint64_t smallestChunk = 1;
  unsigned participantsExpected = 1;
  /// Nonzero: no further unit may start.
  std::atomic<uint32_t> stop{0};

protected:
  ~Work() = default;

private:
  friend class WorkerPool;
  unsigned helpersWanted = 0; ///< guarded by WorkerPool::mutex, as the rest
  unsigned helpersInside = 0;
};

/// `threads - 1` sleeping workers. Threads start at the first `share`, which several threads may call at once.
class WorkerPool {
public:
  explicit WorkerPool(unsigned threads);
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;
  ~WorkerPool();

  /// The maximum number of threads, including the caller.
  unsigned threads() const { return threadCount; }
  /// Runs the rest of `work` on the caller and up to `helpers` workers. Returns when all of it has run.
  void share(Work &work, unsigned helpers);
  /// How often workers were woken, for tests.
  uint64_t wakeUps() const { return woken.load(std::memory_order_relaxed); }

private:
  void start();
  void serve();
  Work *findWork();
  static void runShare(Work &work);

  const unsigned threadCount;
  std::mutex mutex;
  std::condition_variable workArrived;
  std::condition_variable helperLeft;
  std::vector<Work *> works; ///< being shared; guarded by mutex
  std::vector<std::thread> workers;
  bool stopping = false;
  std::atomic<uint64_t> woken{0};
};

/// The pool of this process. After a fork the child gets a fresh one, as threads do not survive a fork.
class PoolOfProcess {
public:
  explicit PoolOfProcess(unsigned threads);
  /// Joins the threads. The process's own device is never destroyed: its workers may run until the process ends.
  ~PoolOfProcess();
  WorkerPool &get();

private:
  const unsigned threads;
  std::mutex making;
  std::atomic<WorkerPool *> pool{nullptr};
  const AtForks atForks;
};

} // namespace treadle::cpu
