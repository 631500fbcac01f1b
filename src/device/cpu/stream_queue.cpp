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

StreamQueue::~StreamQueue() {
  // After a fork there may be work that nobody runs.
  while (!isEmpty())
    takeNext();
}

void StreamQueue::push(std::unique_ptr<QueuedWork> work) {
  work->position = lastQueued = next();
  const uint64_t number = pushed.load(std::memory_order_relaxed);
  if (number % Piece::size == 0) {
    auto piece = std::make_unique<Piece>();
    Piece *const made = piece.get();
    // The thread looks at `next` only once it knows of work in it, and at `first` only once it runs.
    (filling ? filling->next : first) = std::move(piece);
    filling = made;
  }
  filling->works[number % Piece::size] = work.release();
  pushed.store(number + 1);
  if (!hasThread.load() && !hasThread.exchange(true))
    start();
  if (!sleeps.load())
    return;
  {
    const std::lock_guard lock(mutex); // it looks once more before it sleeps, and this is after that look
  }
  arrived.notify_one();
}

void StreamQueue::start() { std::thread(&StreamQueue::serve, shared_from_this()).detach(); }

void StreamQueue::close() {
  isClosed.store(true);
  {
    const std::lock_guard lock(mutex);
  }
  arrived.notify_one();
}

void StreamQueue::serve(std::shared_ptr<StreamQueue> self) {
  while (std::unique_ptr<QueuedWork> work = self->take())
    self->runOne(std::move(work));
}

/// False: closed, and nothing is left.
bool StreamQueue::sleepUntilWork() {
  const auto end = std::chrono::steady_clock::now() + awake;
  while (isEmpty() && std::chrono::steady_clock::now() < end)
    for (unsigned i = 0; i < 16 && isEmpty(); ++i)
      __builtin_ia32_pause();
  if (!isEmpty())
    return true;
  std::unique_lock lock(mutex);
  sleeps.store(true);
  arrived.wait(lock, [this] { return !isEmpty() || isClosed.load(); });
  sleeps.store(false);
  return !isEmpty();
}

/// Null: closed, and nothing is left; the thread ends.
std::unique_ptr<QueuedWork> StreamQueue::take() {
  while (isEmpty() && !sleepUntilWork()) {
    hasThread.store(false);
    // Whoever still has the queue may have pushed meanwhile, seeing a thread.
    if (isEmpty() || hasThread.exchange(true))
      return nullptr;
  }
  return takeNext();
}

/// There is one. A piece is left only now, as the next one is added to it with the work after its last.
std::unique_ptr<QueuedWork> StreamQueue::takeNext() {
  const uint64_t number = taken++;
  if (number != 0 && number % Piece::size == 0)
    first = std::move(first->next);
  return std::unique_ptr<QueuedWork>(first->works[number % Piece::size]);
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
  new (&failure) std::exception_ptr;
  static_cast<void>(first.release());
  filling = nullptr;
  pushed = taken = 0;
  hasThread = sleeps = false;
  waiting = 0;
  const uint64_t left = submitted.load() - completed.load();
  if (unfinished)
    unfinished->fetch_sub(left);
  completed.store(submitted.load());
}

} // namespace treadle::cpu
