// StreamQueue: its thread spins a little before it sleeps, as more work often follows soon.
#include "device/cpu/cpu_capture.h"
#include "device/cpu/stream_set.h"
#include "device/cpu/threads/safepoint.h"
#include "device/cpu/traced_run.h"
#include "support/threads.h"

#include <chrono>
#include <new>
#include <thread>
#include <utility>

namespace treadle::cpu {

namespace {

/// Waking a sleeping thread takes 3 to 5 us; a thread that queues work steadily finds it awake.
constexpr std::chrono::microseconds awake{20};

} // namespace

StreamQueue::~StreamQueue() {
  // After a fork there may be work that no thread runs.
  while (!isEmpty())
    takeNext()->~QueuedWork();
  stopAsking();
  delete spare.load();
}

void StreamQueue::setCapture(std::shared_ptr<CpuCapture> capture) {
  const bool isBegun = capture != nullptr;
  {
    const std::lock_guard lock(mutex);
    captured.swap(capture);
  }
  isBegun ? watch() : unwatch();
}

StreamQueue::Place &StreamQueue::nextPlace() {
  if (!filling || filled == Piece::size) {
    std::unique_ptr<Piece> piece(spare.exchange(nullptr));
    if (!piece)
      piece = std::make_unique<Piece>();
    Piece *const made = piece.get();
    // The thread reads `next` only once it knows of work in it, and `first` only once it runs.
    (filling ? filling->next : first) = std::move(piece);
    filling = made;
    filled = 0;
  }
  return filling->places[filled];
}

void StreamQueue::start(StreamSet &user) {
  if (hasThread.exchange(true))
    return;
  try {
    startThread("a stream", [self = shared_from_this(), set = user.shared_from_this()] { serve(self, set); });
  } catch (...) {
    hasThread.store(false);
    throw;
  }
}

void StreamQueue::push(QueuedWork &work) {
  work.position = lastQueued = next();
  filling->places[filled++].work = &work;
  pushed.store(pushed.load(std::memory_order_relaxed) + 1);
  if (!sleeps.load())
    return;
  {
    const std::lock_guard lock(mutex); // it checks once more before it sleeps, and this is after that check
    sleeps.store(false);               // the next push need not wake it again
  }
  arrived.notify_one();
}

void StreamQueue::close() {
  isClosed.store(true);
  {
    const std::lock_guard lock(mutex);
  }
  arrived.notify_one();
}

void StreamQueue::serve(const std::shared_ptr<StreamQueue> &self, const std::shared_ptr<const void> &) {
  while (QueuedWork *const work = self->take())
    self->runOne(*work);
}

/// False: closed and empty.
bool StreamQueue::sleepUntilWork() {
  const auto end = std::chrono::steady_clock::now() + awake;
  while (isEmpty() && std::chrono::steady_clock::now() < end) {
    for (unsigned i = 0; i < 16 && isEmpty(); ++i)
      __builtin_ia32_pause();
    // A thread that waited for the last work may have been woken on this very core.
    std::this_thread::yield();
  }
  if (!isEmpty())
    return true;
  std::unique_lock lock(mutex);
  arrived.wait(lock, [this] {
    sleeps.store(true); // each time: it may have been woken for work that it saw before it slept
    return !isEmpty() || isClosed.load();
  });
  sleeps.store(false);
  return !isEmpty();
}

/// Null: closed and empty; the thread ends.
QueuedWork *StreamQueue::take() {
  while (isEmpty() && !sleepUntilWork()) {
    hasThread.store(false);
    // Another owner may have pushed meanwhile, and have seen a thread.
    if (isEmpty() || hasThread.exchange(true))
      return nullptr;
  }
  return takeNext();
}

/// Precondition: the queue is not empty. The thread leaves a piece only now, as the next one is linked when the work
/// after its last arrives.
QueuedWork *StreamQueue::takeNext() {
  const uint64_t number = taken++;
  if (number != 0 && number % Piece::size == 0) {
    Piece *const done = first.release();
    first = std::move(done->next);
    delete spare.exchange(done);
  }
  return first->places[number % Piece::size].work;
}

/// Cancelled work waits only for what a caller's thread still runs on this stream, which ends soon: positions are
/// completed in order.
void StreamQueue::awaitOthers(const QueuedWork &work) {
  constexpr std::chrono::milliseconds betweenLooks{50};
  for (const StreamPoint &point : work.after)
    while (!point.timeline->waitFor(point.position, betweenLooks))
      if (interrupted.load() >= work.position && point.timeline.get() != this)
        break;
}

void StreamQueue::runOne(QueuedWork &work) {
  try {
    awaitOthers(work); // throws if another device is lost
    const TracedRun traced(*this, work.position, work.label());
    work.run(interrupted);
  } catch (...) {
    reports->addFailure(name, work.position, work.origin);
  }
  // What it held must be released before threads that wait for it continue.
  const uint64_t position = work.position;
  work.~QueuedWork();
  complete(position);
}

void StreamQueue::complete(uint64_t position) {
  completed.store(position);
  if (position < awaited.load())
    return;
  {
    const std::lock_guard lock(mutex);
    awaited.store(nothing); // threads that wait for a later position set it again
    if (asksKernels && isComplete(interrupted.load()))
      stopAsking();
    else if (asksKernels)
      awaited.store(interrupted.load());
  }
  finished.notify_all();
}

bool StreamQueue::waitFor(uint64_t position, std::chrono::milliseconds time) {
  if (isComplete(position))
    return true;
  const auto end = std::chrono::steady_clock::now() + time;
  std::unique_lock lock(mutex);
  for (;;) {
    if (position < awaited.load())
      awaited.store(position);
    if (isComplete(position))
      return true;
    if (finished.wait_until(lock, end) == std::cv_status::timeout)
      return isComplete(position);
  }
}

void StreamQueue::interrupt() {
  if (const std::shared_ptr<StreamSet> all = set.lock())
    all->interrupt();
  else
    endGiven();
}

void StreamQueue::endGiven() {
  const std::lock_guard lock(mutex);
  const uint64_t position = lastPosition();
  if (isComplete(position))
    return;
  interrupted.store(position);
  if (!asksKernels)
    safepointRequests().fetch_add(1);
  asksKernels = true;
  if (position < awaited.load())
    awaited.store(position);
  // It may have been completed before the line above, unnoticed by any other thread.
  if (isComplete(position))
    stopAsking();
}

void StreamQueue::stopAsking() {
  if (std::exchange(asksKernels, false))
    safepointRequests().fetch_sub(1);
}

/// A thread of the parent may have held the mutex, or been changing the data it guards or the list: all of that is
/// leaked.
void StreamQueue::forget() {
  new (&mutex) std::mutex;
  new (&arrived) std::condition_variable;
  new (&finished) std::condition_variable;
  [[maybe_unused]] const Piece *const left = first.release();
  filling = nullptr;
  filled = 0;
  pushed = taken = 0;
  hasThread = sleeps = false;
  awaited = nothing;
  asksKernels = false; // the requests of the parent's threads are dropped, too
  if (captured) {
    captured->abandonInChild();
    // Leaked: dropping what it has recorded takes locks.
    new (&captured) std::shared_ptr<CpuCapture>;
    unwatch();
  }
  completed.store(submitted.load());
}

} // namespace treadle::cpu
