// The thread of a stream, and which streams wait for which.
#include "remote_queue.h"

#include "support/threads.h"

#include <algorithm>
#include <utility>

namespace remote {

std::vector<std::shared_ptr<RemoteQueue>> RemoteStreams::all() {
  const std::lock_guard lock(mutex);
  std::vector<std::shared_ptr<RemoteQueue>> alive;
  for (const std::weak_ptr<RemoteQueue> &one : queues)
    if (std::shared_ptr<RemoteQueue> queue = one.lock())
      alive.push_back(std::move(queue));
  return alive;
}

std::vector<std::shared_ptr<RemoteQueue>> RemoteQueue::others() const {
  std::vector<std::shared_ptr<RemoteQueue>> queues = streams->all();
  std::erase_if(queues, [this](const std::shared_ptr<RemoteQueue> &queue) {
    return kind == Kind::NonBlocking || queue->kind != (kind == Kind::Legacy ? Kind::Blocking : Kind::Legacy);
  });
  return queues;
}

StreamPoint RemoteQueue::push(Work work) {
  const std::lock_guard oneOrder(streams->order);
  for (const std::shared_ptr<RemoteQueue> &other : others())
    if (StreamPoint point = other->last(); !point.isComplete())
      work.after.push_back(std::move(point));
  const std::lock_guard lock(mutex);
  if (isRetired)
    failRetiredStream();
  work.position = ++submitted;
  works.push_back(std::move(work));
  changed.notify_all();
  if (!std::exchange(hasThread, true))
    startThread("a stream", [self = shared_from_this()] { self->serve(); });
  return {shared_from_this(), submitted};
}

StreamPoint RemoteQueue::last() {
  const std::lock_guard lock(mutex);
  return {shared_from_this(), submitted};
}

void RemoteQueue::close() {
  const std::lock_guard lock(mutex);
  isClosed = true;
  changed.notify_all();
}

void RemoteQueue::serve() {
  for (;;) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !works.empty() || isClosed; });
    if (works.empty()) {
      hasThread = false;
      return;
    }
    Work work = std::move(works.front());
    works.pop_front();
    lock.unlock();
    runOne(std::move(work));
  }
}

/// Mostly a moment late; now and then so late that a host that forgets to wait is caught.
void RemoteQueue::runOne(Work work) {
  const uint64_t position = work.position;
  for (const StreamPoint &point : work.after)
    while (!isInterrupted(position) && !point.timeline->waitFor(point.position, std::chrono::milliseconds(20)))
      ;
  {
    std::unique_lock lock(mutex);
    const unsigned usual = works.size() < 8 ? 500 : 1; // thousands of launches shall not take a minute
    const std::chrono::microseconds late(usual == 500 && chance() % 16 == 0 ? 20'000 : chance() % usual);
    changed.wait_for(lock, late, [&] { return wanted >= position; });
  }
  try {
    work.run(position);
  } catch (...) {
    streams->reports->addFailure(name, position, work.origin);
  }
  work = {}; // releases what it held before threads that wait continue
  const std::lock_guard lock(mutex);
  completed.store(position);
  changed.notify_all();
}

bool RemoteQueue::waitFor(uint64_t position, std::chrono::milliseconds time) {
  std::unique_lock lock(mutex);
  wanted = std::max(wanted, position);
  changed.notify_all();
  return changed.wait_for(lock, time, [&] { return isComplete(position); });
}

void RemoteQueue::interrupt() {
  for (const std::shared_ptr<RemoteQueue> &queue : streams->all())
    queue->endGiven();
  streams->interruptExecutor();
}

void RemoteQueue::endGiven() {
  const std::lock_guard lock(mutex);
  if (!isComplete(submitted))
    interrupted.store(submitted);
  wanted = submitted;
  changed.notify_all();
}

} // namespace remote
