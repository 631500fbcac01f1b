// The queue, its thread, and what becomes of both in forks and at the end of the process.
#include "support/background.h"

#include "support/error.h"
#include "support/threads.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace treadle {

namespace {

/// More than any program queues at once, unless the disk does not respond.
constexpr size_t mostItems = 4096;
constexpr std::chrono::milliseconds idleTime{200};
constexpr std::chrono::seconds exitTime{2};
/// Added to the process's own niceness: when two threads compete for a processor, background work gets a tenth.
constexpr int niceness = 10;
constexpr size_t stackBytes = 1 << 20;

void lowerPriority() {
  const id_t self = id_t(syscall(SYS_gettid));
  setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + niceness);
}

} // namespace

Background &Background::instance() {
  static Background *const made = new Background;
  return *made;
}

Background::Background()
    : atForks(this, {[](void *self) { static_cast<Background *>(self)->mutex.lock(); },
                     [](void *self) { static_cast<Background *>(self)->mutex.unlock(); },
                     [](void *self) { static_cast<Background *>(self)->beginChild(); }}) {
  std::atexit([] { instance().finishBefore(Clock::now() + exitTime); });
}

void Background::beginChild() {
  new (&mutex) std::mutex;
  new (&added) std::condition_variable;
  new (&done) std::condition_variable;
  items.clear();
  isBusy = hasThread = false;
}

bool Background::add(const void *owner, std::string name, std::function<void()> work) {
  std::unique_lock lock(mutex);
  if (items.size() >= mostItems)
    return false;
  items.push_back({owner, std::move(name), std::move(work)});
  if (isExiting)
    return true; // the thread that ends the process runs it
  if (hasThread)
    added.notify_one();
  else
    start();
  while (!hasThread && !isBusy && !items.empty())
    doFirst(lock); // the system cannot start another thread
  return true;
}

/// The mutex is held.
void Background::start() {
  try {
    startThread("code that is kept", [this] { run(); }, stackBytes);
    hasThread = true;
  } catch (const Error &) {
    // The adding thread runs the work itself.
  }
}

void Background::run() {
  lowerPriority();
  std::unique_lock lock(mutex);
  while (added.wait_for(lock, idleTime, [this] { return isExiting || !items.empty(); }) && !isExiting)
    doFirst(lock);
  hasThread = false;
}

/// A fork waits until the running item is done: its effects are complete in the parent, and the child has none of them.
void Background::doFirst(std::unique_lock<std::mutex> &lock) {
  Item &first = items.front(); // its address is stable while others are appended
  isBusy = true;
  worker = std::this_thread::get_id();
  lock.unlock();
  {
    const ForkGate gate;
    first.work();
  }
  lock.lock();
  items.pop_front();
  isBusy = false;
  done.notify_all();
}

void Background::finish(const void *owner, std::string_view name) {
  std::unique_lock lock(mutex);
  if (isBusy && worker == std::this_thread::get_id())
    return;
  done.wait(lock, [&] {
    return isExiting || std::ranges::none_of(items, [&](const Item &one) { return one.isOf(owner, name); });
  });
}

void Background::finishAll() {
  std::unique_lock lock(mutex);
  done.wait_until(lock, Clock::now() + exitTime, [this] { return isExiting || items.empty(); });
}

/// On the thread that ends the process: takes over what the worker has not begun.
void Background::finishBefore(Clock::time_point deadline) {
  std::unique_lock lock(mutex);
  isExiting = true;
  added.notify_all();
  done.notify_all();
  if (!done.wait_until(lock, deadline, [this] { return !isBusy; }))
    return;
  while (!items.empty() && Clock::now() < deadline)
    doFirst(lock);
}

} // namespace treadle
