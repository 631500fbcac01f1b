// StreamSet: CUDA's rules of the legacy default stream, and streams after a fork.
#include "device/cpu/stream_set.h"

#include <algorithm>
#include <utility>

namespace treadle::cpu {

StreamSet::StreamSet(unsigned threads, std::shared_ptr<StreamReports> reports)
    : pool(threads), reports(std::move(reports)),
      atForks(this, {[](void *set) { static_cast<StreamSet *>(set)->order.lock(); },
                     [](void *set) { static_cast<StreamSet *>(set)->order.unlock(); },
                     [](void *set) { static_cast<StreamSet *>(set)->beginChild(); }}) {}

std::shared_ptr<StreamSet> StreamSet::make(unsigned threads, std::shared_ptr<StreamReports> reports) {
  auto made = std::make_shared<StreamSet>(threads, std::move(reports));
  made->legacy = std::make_shared<StreamQueue>(made, made->reports);
  return made;
}

void StreamSet::checkNotRetired(const StreamQueue &queue) {
  if (queue.isRetired()) [[unlikely]]
    failRetiredStream();
}

std::shared_ptr<StreamQueue> StreamSet::add(Kind kind, bool endsWithReset) {
  auto queue = std::make_shared<StreamQueue>(weak_from_this(), reports);
  const std::lock_guard lock(order);
  std::erase_if(members, [](const Member &member) { return member.queue.expired(); });
  members.push_back({kind, endsWithReset, queue});
  return queue;
}

void StreamSet::retire() {
  const std::lock_guard lock(order);
  for (const Member &member : members)
    if (const std::shared_ptr<StreamQueue> queue = member.queue.lock(); queue && member.endsWithReset)
      queue->retire();
}

bool StreamSet::areBlockingIdle() {
  if (blockingIdle == blockingGiven) [[likely]]
    return true;
  for (const Member &member : members)
    if (const std::shared_ptr<StreamQueue> queue = member.queue.lock(); queue && member.kind == Kind::Blocking)
      if (!queue->isIdle())
        return false;
  blockingIdle = blockingGiven;
  return true;
}

uint64_t StreamSet::tryBegin(StreamQueue &queue, Kind kind) {
  const std::lock_guard lock(order);
  checkNotRetired(queue);
  const bool waitsForOthers = kind == Kind::Legacy     ? !areBlockingIdle()
                              : kind == Kind::Blocking ? !legacy->isIdle()
                                                       : false;
  if (waitsForOthers || !queue.isIdle())
    return 0;
  blockingGiven += kind == Kind::Blocking;
  return queue.nextOnCaller();
}

void StreamSet::prepare(StreamQueue &queue) {
  checkNotRetired(queue);
  queue.needThread(*this);
}

StreamPoint StreamSet::push(StreamQueue &queue, Kind kind, QueuedWork &work) {
  auto waitFor = [&](StreamQueue &other) {
    if (!other.isIdle())
      work.after.push_back(other.last());
  };
  if (kind == Kind::Blocking)
    waitFor(*legacy);
  if (kind == Kind::Legacy && !areBlockingIdle())
    for (const Member &member : members)
      if (const std::shared_ptr<StreamQueue> other = member.queue.lock(); other && member.kind == Kind::Blocking)
        waitFor(*other);
  if (queue.lastRunsElsewhere())
    waitFor(queue);
  blockingGiven += kind == Kind::Blocking;
  queue.push(work);
  queue.needThread(*this);
  return queue.last();
}

StreamSet::Member StreamSet::find(uint64_t handle) {
  const std::lock_guard lock(order);
  for (const Member &member : members)
    if (reinterpret_cast<uintptr_t>(member.queue.lock().get()) == handle)
      return member;
  return {};
}

std::vector<std::shared_ptr<StreamQueue>> StreamSet::awaited(const std::shared_ptr<StreamQueue> &queue, Kind kind) {
  checkNotRetired(*queue);
  const bool isAlone = kind != Kind::Legacy || [this] {
    const std::lock_guard lock(order);
    return areBlockingIdle();
  }();
  return isAlone ? std::vector{queue} : blockedBy(queue, kind);
}

std::vector<std::shared_ptr<StreamQueue>> StreamSet::blockedBy(const std::shared_ptr<StreamQueue> &queue, Kind kind) {
  std::vector<std::shared_ptr<StreamQueue>> result{queue};
  if (kind == Kind::Blocking)
    result.push_back(legacy);
  if (kind != Kind::Legacy)
    return result;
  const std::lock_guard lock(order);
  for (const Member &member : members)
    if (std::shared_ptr<StreamQueue> other = member.queue.lock(); other && member.kind == Kind::Blocking)
      result.push_back(std::move(other));
  return result;
}

std::vector<std::shared_ptr<StreamQueue>> StreamSet::all() {
  std::vector<std::shared_ptr<StreamQueue>> result{legacy};
  const std::lock_guard lock(order);
  for (const Member &member : members)
    if (std::shared_ptr<StreamQueue> queue = member.queue.lock())
      result.push_back(std::move(queue));
  return result;
}

/// A child has only the forking thread: neither the parent's queued work nor the work that other threads were running
/// will run here. Text of the parent's kernels is printed by the parent.
void StreamSet::beginChild() {
  order.unlock();
  legacy->forget();
  for (const Member &member : members)
    if (const std::shared_ptr<StreamQueue> queue = member.queue.lock())
      queue->forget();
}

void StreamSet::interrupt() {
  for (const std::shared_ptr<StreamQueue> &queue : all())
    queue->endGiven();
}

} // namespace treadle::cpu
