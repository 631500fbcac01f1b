// Allocations of a MemoryManager from another library: foreign memory, whose owner that library has made.
#include "memory/external_memory.h"

#include "memory/memory_manager.h"

#include <utility>

namespace treadle {

ExternalMemory::~ExternalMemory() = default;

/// The library is not asked for 0 bytes: empty arrays have no address.
void MemoryManager::takeExternal(const AllocationRequest &request, LiveAllocation &allocation) {
  ExternalPiece piece;
  piece.owner.kind = request.kind;
  if (request.bytes > 0)
    piece = external.load()->allocate(device(), request.bytes, request.kind);
  adopt({.bytes = request.bytes, .kind = request.kind, .isForeign = true, .foreign = piece.memory}, allocation);
  allocation.block->owner = std::move(piece.owner);
  allocation.block->owner->isManager = true;
}

std::vector<StreamPoint> MemoryManager::usesOfLent() const {
  std::vector<StreamPoint> points;
  const std::lock_guard lock(mutex);
  for (const MemoryBlock *block = lent.front(); block; block = block->next)
    for (const StreamPoint &point : block->uses.all())
      noteUse(points, point);
  return points;
}

/// The memory may belong to an external library that in turn allocated it from this device.
std::vector<StreamPoint> MemoryManager::leaveCacheAt(const char *address) {
  std::vector<StreamPoint> points;
  const std::lock_guard lock(mutex);
  for (const LiveAllocation *one = live.after; one != &live; one = one->after) {
    if (address < one->memory || address - one->memory >= ptrdiff_t(one->askedBytes))
      continue;
    one->block->isShared.store(true, std::memory_order_relaxed);
    for (const StreamPoint &point : one->block->uses.all())
      noteUse(points, point);
    if (one->usedBefore.timeline)
      noteUse(points, one->usedBefore);
  }
  return points;
}

} // namespace treadle
