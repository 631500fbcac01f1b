// Statistics of a MemoryManager.
#include "memory/memory_manager.h"

#include <mutex>

namespace treadle {

MemoryFigures MemoryManager::figures() const {
  const std::lock_guard lock(mutex);
  MemoryFigures figures = counted;
  figures.capacity = capacity;
  figures.pendingCount = queued();
  return figures;
}

bool MemoryManager::holdsMemory() const {
  const std::lock_guard lock(mutex);
  return counted.liveBytes + counted.pendingBytes + counted.cachedBytes > 0;
}

void MemoryManager::resetPeak() {
  const std::lock_guard lock(mutex);
  counted.peakBytes = counted.liveBytes;
}

std::vector<MemoryManager::Live> MemoryManager::liveAllocations() const {
  std::vector<Live> all;
  const std::lock_guard lock(mutex);
  for (const LiveAllocation *one = live.after; one != &live; one = one->after)
    if (one->block->isOwn())
      all.push_back({one->askedBytes, one->place ? *one->place : std::string()});
  return all;
}

MemoryLimits MemoryManager::limits() const {
  const std::lock_guard lock(mutex);
  return bounds;
}

} // namespace treadle
