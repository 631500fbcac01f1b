// Foreign memory in a MemoryManager: the owner is kept alive until the last pending use completes.
#include "memory/memory_manager.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace treadle {

void MemoryManager::adopt(const AllocationRequest &request, LiveAllocation &allocation) {
  std::unique_lock lock(mutex);
  std::unique_ptr<MemoryBlock> block(spare.front() ? spare.popFront() : nullptr);
  if (!block) {
    lock.unlock();
    block = std::make_unique<MemoryBlock>();
    lock.lock();
  }
  block->memory = request.foreign;
  block->kind = request.kind;
  allocation.block = block.release();
  allocation.memory = request.foreign;
  allocation.askedBytes = request.bytes;
  link(allocation);
}

void MemoryManager::disown(LiveAllocation &allocation) noexcept {
  std::optional<MemoryOwner> unused; // dropped without the lock
  bool areMany = false;
  {
    const std::lock_guard lock(mutex);
    if (allocation.state.load(std::memory_order_relaxed) != LiveAllocation::State::Lost)
      unlink(allocation);
    if (allocation.block->uses.areDone())
      unused = takeBack(allocation.block);
    else
      lent.pushBack(allocation.block);
    areMany = lent.size() > mostLent;
  }
  if (!areMany)
    return;
  device().lookAtUses();
  returnLent();
}

/// Returns the owner; the block is reused for other foreign memory.
std::optional<MemoryOwner> MemoryManager::takeBack(MemoryBlock *block) {
  std::optional<MemoryOwner> owner = std::exchange(block->owner, std::nullopt);
  if (spare.size() >= mostSpare) {
    delete block;
    return owner;
  }
  block->isShared.store(false, std::memory_order_relaxed);
  spare.pushFront(block);
  return owner;
}

void MemoryManager::returnLent() noexcept {
  BlockList unused;
  const std::lock_guard lock(mutex);
  lent.moveTo(unused, [](MemoryBlock &block) { return block.uses.areDone(); });
  mostLent = std::max(usualLent, 2 * lent.size());
}

} // namespace treadle
