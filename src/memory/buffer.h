// Buffer: owns one allocation on a device.
#pragma once

#include "memory/memory_resource.h"
#include "support/error.h"

#include <cstddef>
#include <span>
#include <vector>

namespace treadle {

/// Owns one allocation, or refers to memory that another object owns. Shared by all its views, and released with the
/// last reference.
class TREADLE_API Buffer : private LiveAllocation {
public:
  /// Throws DeviceError if the device has not enough memory left. `stream`: as in AllocationRequest.
  Buffer(MemoryResource &resource, size_t bytes, const StreamTimeline *stream = nullptr);
  Buffer(MemoryResource &resource, size_t bytes, MemoryKind kind);
  Buffer(MemoryResource &resource, const AllocationRequest &request);
  /// Over memory of somebody else.
  Buffer(MemoryResource &resource, std::span<char> memory, MemoryOwner &&owner);
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer();

  char *data() const { return memory; }
  size_t bytes() const { return askedBytes; }
  bool isForeign() const { return block->owner.has_value(); }
  /// It is an object's that uses it, too, and not merely another manager's.
  bool isBorrowed() const { return block->owner && !block->owner->isManager; }
  MemoryKind kind() const { return block->kind; }
  bool isHostVisible() const { return device().isHostVisible(kind()); }
  Device &device() const { return resource.device(); }
  /// Where more memory of its device comes from.
  MemoryResource &origin() const { return resource; }
  /// The device was reset since the allocation, or the memory was closed: it must not be used any more.
  bool isLost() const { return state.load(std::memory_order_relaxed) != State::Usable; }
  /// Throws `lostError` where it is lost.
  void checkAlive() const {
    if (isLost()) [[unlikely]]
      throw lostError();
  }
  DeviceError lostError() const;
  /// Nobody uses the memory of somebody else any more, whose owner is dropped: with the last reference, where the host
  /// can see the memory and may still have addresses in it, otherwise now. All work on it has run.
  void close();

  /// Queued work uses the memory up to this point.
  void use(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) { block->uses.note(timeline, position); }
  void use(const StreamPoint &point) { use(point.timeline, point.position); }
  /// So do all later notes in it.
  void share(std::shared_ptr<SharedUse> use) { block->uses.share(std::move(use)); }
  /// The last use on each stream, complete or not.
  std::vector<StreamPoint> uses() const { return block->uses.all(); }
  /// All work that is known of and not complete is on that stream.
  bool isUsedOnlyOn(const Stream &stream) const { return !isUsedBefore() && block->uses.areOnlyOn(stream.timeline()); }
  /// No work that is known of uses the memory.
  bool hasNoUses() const { return block->uses.areComplete(); }
  /// No work that is known of uses the memory, and none that has used it may have failed.
  bool isQuiet() const { return block->uses.areComplete() && !isUsedBefore() && !device().haveFailures(); }
  /// Another library was given the memory: it is never reused.
  void leaveCache() const { block->isShared.store(true, std::memory_order_relaxed); }
  /// Others may still use the memory: work on it needs a UseOrder.
  bool isUsedBefore() const { return (usedBefore.timeline && !usedBefore.isComplete()) || producer(); }
  /// By an earlier owner of the memory.
  const StreamPoint &earlierUse() const { return usedBefore; }
  /// Of memory of somebody else; null: of the device's.
  const MemoryOwner *memoryOwner() const { return block->owner ? &*block->owner : nullptr; }
  /// Where another library uses the memory as well; null: nowhere.
  Stream *producer() const { return block->owner ? block->owner->producer.get() : nullptr; }

private:
  MemoryResource &resource; ///< outlives all buffers: the Runtime's are never destroyed
};

} // namespace treadle
