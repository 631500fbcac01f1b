// Uses of memory on several streams.
#include "memory/memory_block.h"

#include <mutex>

namespace treadle {

void StreamUses::noteOther(const StreamPoint &point) {
  if (!point.timeline)
    return;
  {
    const std::lock_guard lock(changing);
    if (owner && owner != point.timeline)
      return noteUse(others, point);
    if (!owner) {
      owner = point.timeline;
      position.store(point.position, std::memory_order_relaxed);
      timeline.store(owner.get(), std::memory_order_release);
      return;
    }
  }
  note(point); // another thread was first, on the same stream
}

std::vector<StreamPoint> StreamUses::all() const {
  const std::lock_guard lock(changing);
  std::vector<StreamPoint> points = others;
  if (owner)
    points.push_back(first());
  return points;
}

bool StreamUses::areAllDone(const StreamTimeline *except) {
  std::erase_if(others, [](const StreamPoint &point) { return point.isComplete(); });
  for (const StreamPoint &other : others)
    if (other.timeline.get() != except)
      return false;
  if (!owner)
    return true;
  if (!first().isComplete())
    return owner.get() == except;
  if (!others.empty())
    return true;
  timeline.store(nullptr, std::memory_order_relaxed);
  owner = nullptr;
  return true;
}

} // namespace treadle
