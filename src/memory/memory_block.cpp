// Uses of memory on several streams.
#include "memory/memory_block.h"

#include <algorithm>
#include <mutex>

namespace treadle {

void SharedUses::add(std::shared_ptr<const SharedUse> use, std::vector<StreamPoint> &points) {
  std::erase_if(uses, [&points](const std::shared_ptr<const SharedUse> &known) {
    if (!known->isEnded())
      return false;
    if (const StreamPoint point = known->point(); !point.isComplete())
      noteUse(points, point);
    return true;
  });
  uses.push_back(std::move(use));
}

void StreamUses::noteOther(const StreamPoint &point) {
  if (!point.timeline)
    return;
  {
    const std::lock_guard lock(changing);
    if (owner && owner != point.timeline)
      return noteUse(others, point);
    if (!owner) {
      areSome.store(true, std::memory_order_release);
      owner = point.timeline;
      position.restart(point.position);
      timeline.store(owner.get(), std::memory_order_release);
      return;
    }
  }
  note(point.timeline, point.position); // another thread set it first, to the same stream
}

void StreamUses::share(std::shared_ptr<const SharedUse> use) {
  const std::lock_guard lock(changing);
  areSome.store(true, std::memory_order_release);
  shared.add(std::move(use), others);
}

std::vector<StreamPoint> StreamUses::all() const {
  const std::lock_guard lock(changing);
  std::vector<StreamPoint> points = others;
  if (owner)
    noteUse(points, first());
  for (const auto &use : shared.all())
    noteUse(points, use->point());
  return points;
}

bool StreamUses::areKnownComplete() const { return areOnlyOn(nullptr); }

bool StreamUses::areOnlyOn(const StreamTimeline *stream) const {
  const auto isFine = [stream](const std::shared_ptr<StreamTimeline> &timeline, uint64_t at) {
    return timeline.get() == stream || timeline->isComplete(at);
  };
  const std::lock_guard lock(changing);
  return (!owner || isFine(owner, position.get())) &&
         std::ranges::all_of(others,
                             [&](const StreamPoint &point) { return isFine(point.timeline, point.position); }) &&
         std::ranges::all_of(shared.all(),
                             [&](const auto &use) { return isFine(use->timeline, use->point().position); });
}

bool StreamUses::areAllDone(const StreamTimeline *except) {
  std::erase_if(others, [](const StreamPoint &point) { return point.isComplete(); });
  shared.dropComplete();
  const auto isExcepted = [except](const std::shared_ptr<StreamTimeline> &stream) { return stream.get() == except; };
  if (!std::ranges::all_of(others, isExcepted, &StreamPoint::timeline) ||
      !std::ranges::all_of(shared.all(), isExcepted, [](const auto &use) { return use->timeline; }))
    return false;
  if (owner && !first().isComplete())
    return owner.get() == except;
  if (!others.empty() || !shared.all().empty())
    return true;
  timeline.store(nullptr, std::memory_order_relaxed);
  owner = nullptr;
  areSome.store(false, std::memory_order_relaxed);
  return true;
}

} // namespace treadle
