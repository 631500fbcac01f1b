// Distributes units in chunks; workers sleep on one condition variable.
#include "device/cpu/threads/worker_pool.h"

#include "support/threads.h"

#include <algorithm>
#include <chrono>
#include <new>

namespace treadle::cpu {

/// The polling interval of a thread that waits for its helpers, for requests of the host.
constexpr std::chrono::milliseconds betweenLooks{20};

bool Work::take(uint64_t &first, uint64_t &last) {
  // Large pieces first, small ones at the end, so that all participants finish together.
  constexpr uint64_t pieces = 4;
  first = next.load(std::memory_order_relaxed);
  do {
    if (first >= units || stop.load(std::memory_order_relaxed) != 0)
      return false;
    const uint64_t left = units - first;
    last = first + std::min(left, std::max(smallestChunk, left / (pieces * participantsExpected)));
  } while (!next.compare_exchange_weak(first, last, std::memory_order_relaxed));
  return true;
}

WorkerPool::WorkerPool(unsigned threads) : threadCount(std::max(threads, 1u)) {}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex);
    stopping = true;
  }
  workArrived.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void WorkerPool::start() {
  const SignalsBlocked blocked;
  try {
    while (workers.size() + 1 < threadCount)
      workers.emplace_back([this] { serve(); });
  } catch (const std::system_error &) {
    // The system cannot start more threads: the pool makes do with those it has.
  }
}

void WorkerPool::share(Work &work, unsigned helpers) {
  helpers = std::min(helpers, threadCount - 1);
  work.participantsExpected = helpers + 1;
  if (helpers == 0)
    return runShare(work);
  {
    const std::lock_guard lock(mutex);
    if (workers.empty())
      start();
    work.helpersWanted = helpers;
    works.push_back(&work);
  }
  woken.fetch_add(helpers, std::memory_order_relaxed);
  for (unsigned i = 0; i < helpers; ++i)
    workArrived.notify_one();
  runShare(work);
  std::unique_lock lock(mutex);
  std::erase(works, &work);
  while (!helperLeft.wait_for(lock, betweenLooks, [&] { return work.helpersInside == 0; })) {
    lock.unlock();
    work.shouldContinue();
    lock.lock();
  }
}

void WorkerPool::runShare(Work &work) {
  for (uint64_t first, last; work.take(first, last);)
    work.run(first, last);
}

Work *WorkerPool::findWork() {
  for (Work *work : works)
    if (work->helpersWanted > 0 && work->remaining() > 0)
      return work;
  return nullptr;
}

void WorkerPool::serve() {
  std::unique_lock lock(mutex);
  for (;;) {
    Work *work = findWork();
    if (!work) {
      if (stopping)
        return;
      workArrived.wait(lock);
      continue;
    }
    --work->helpersWanted;
    ++work->helpersInside;
    lock.unlock();
    runShare(*work);
    lock.lock();
    if (--work->helpersInside == 0)
      helperLeft.notify_all();
  }
}

PoolOfProcess::PoolOfProcess(unsigned threads)
    : threads(threads), atForks(this, {.inChild = [](void *object) {
                                  // The parent's pool threads are not in this process, so they cannot be joined.
                                  auto &self = *static_cast<PoolOfProcess *>(object);
                                  new (&self.making) std::mutex;
                                  self.pool.store(nullptr);
                                }}) {}

PoolOfProcess::~PoolOfProcess() { delete pool.load(); }

WorkerPool &PoolOfProcess::get() {
  if (WorkerPool *known = pool.load(std::memory_order_acquire)) [[likely]]
    return *known;
  const std::lock_guard lock(making);
  if (!pool.load())
    pool.store(new WorkerPool(threads), std::memory_order_release);
  return *pool.load();
}

} // namespace treadle::cpu
