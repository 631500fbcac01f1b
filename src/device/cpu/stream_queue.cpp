// StreamQueue: its thread spins a little before it sleeps, as work often follows on work.
#include "device/cpu/stream_queue.h"

#include <chrono>
#include <new>
#include <thread>
#include <utility>

namespace treadle::cpu {

namespace {

/// Waking a sleeping thread takes 3 to 5 us; who gives work steadily meets it awake.
constexpr std::chrono::microseconds awake{20};

} // namespace

StreamQueue::StreamQueue(std::shared_ptr<std::atomic<uint64_t>> unfinished) : unfinished(std::move(unfinished)) {}
StreamQueue::~StreamQueue() = default;

void StreamQueue::push(std::unique_ptr<QueuedWork> work) {
  bool wakes;
  work->position = next();
  {
    const std::lock_guard lock(mutex);
    works.push_back(std::move(work));
    pending.store(uint32_t(works.size()), std::memory_order_relaxed);
    if (!hasThread)
      start();
    wakes = sleeps;
  }
  if (wakes)
    arrived.notify_one();
}

void StreamQueue::start() {
  std::thread(&StreamQueue::serve, shared_from_this()).detach();
  hasThread = true;
}

void StreamQueue::close() {
  {
    const std::lock_guard lock(mutex);
    isClosed = true;
  }
  arrived.notify_one();
}

void StreamQueue::serve(std::shared_ptr<StreamQueue> self) {
  while (std::unique_ptr<QueuedWork> work = self->take())
    self->runOne(std::move(work));
}

/// Null: closed, and nothing is left.
std::unique_ptr<QueuedWork> StreamQueue::take() {
  const auto end = std::chrono::steady_clock::now() + awake;
  while (pending.load(std::memory_order_relaxed) == 0 && std::chrono::steady_clock::now() < end)
    __builtin_ia32_pause();
  std::unique_lock lock(mutex);
  sleeps = true;
  arrived.wait(lock, [this] { return !works.empty() || isClosed; });
  sleeps = false;
  if (works.empty()) {
    hasThread = false; // whoever still has the queue may give it more
    return nullptr;
  }
  std::unique_ptr<QueuedWork> work = std::move(works.front());
  works.pop_front();
  pending.store(uint32_t(works.size()), std::memory_order_relaxed);
  return work;
}

void StreamQueue::runOne(std::unique_ptr<QueuedWork> work) {
  for (const StreamPoint &point : work->after)
    point.wait();
  try {
    work->run();
  } catch (...) {
    const std::lock_guard lock(mutex);
    if (!failure)
      failure = std::make_exception_ptr(QueuedFailure(std::current_exception(), work->origin()));
  }
  // What it held must be free again for whoever waited for it.
  const uint64_t position = work->position;
  work.reset();
  complete(position);
}

void StreamQueue::complete(uint64_t position) {
  if (unfinished)
    unfinished->fetch_sub(1);
  completed.store(position);
  if (waiting.load() == 0)
    return;
  {
    const std::lock_guard lock(mutex);
  }
  finished.notify_all();
}

void StreamQueue::wait(uint64_t position) {
  if (isComplete(position))
    return;
  ++waiting;
  {
    std::unique_lock lock(mutex);
    finished.wait(lock, [&] { return isComplete(position); });
  }
  --waiting;
}

std::exception_ptr StreamQueue::takeFailure() {
  const std::lock_guard lock(mutex);
  return std::exchange(failure, nullptr);
}

/// Other threads of the parent may have held the mutex, or been changing what it guards: all of it is left behind.
void StreamQueue::forget() {
  new (&mutex) std::mutex;
  new (&arrived) std::condition_variable;
  new (&finished) std::condition_variable;
  new (&works) std::deque<std::unique_ptr<QueuedWork>>;
  new (&failure) std::exception_ptr;
  hasThread = sleeps = false;
  waiting = pending = 0;
  const uint64_t left = submitted.load() - completed.load();
  if (unfinished)
    unfinished->fetch_sub(left);
  completed.store(submitted.load());
}

} // namespace treadle::cpu
