// Buffer: owns one allocation on a device.
#pragma once

#include "memory/memory_resource.h"
#include "support/error.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace treadle {

/// Owns one allocation, or refers to memory that another object owns. Shared by all its views, and released with the
/// last reference.
class TREADLE_API Buffer : private LiveAllocation {
public:
  /// Throws DeviceError if the device lacks memory. `stream`: as in AllocationRequest.
  Buffer(MemoryResource &resource, size_t bytes, const StreamTimeline *stream = nullptr);
  Buffer(MemoryResource &resource, size_t bytes, MemoryKind kind);
  Buffer(MemoryResource &resource, const AllocationRequest &request);
  /// Over foreign memory.
  Buffer(MemoryResource &resource, std::span<char> memory, MemoryOwner &&owner);
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer();

  char *data() const { return memory; }
  size_t bytes() const { return askedBytes; }
  bool isForeign() const { return block->owner.has_value(); }
  /// Shared with a foreign object that uses it too, rather than allocated by an external memory manager.
  bool isBorrowed() const { return block->owner && !block->owner->isManager; }
  MemoryKind kind() const { return block->kind; }
  bool isHostVisible() const { return device().memory().isHostVisible(kind()); }
  Device &device() const { return resource.device(); }
  /// The source of further memory of its device.
  MemoryResource &origin() const { return resource; }
  /// The device was reset since the allocation, or the memory was closed: it must not be used.
  bool isLost() const { return state.load(std::memory_order_relaxed) != State::Usable; }
  bool isClosed() const { return state.load(std::memory_order_relaxed) == State::Closed; }
  /// Throws `lostError` if it is lost.
  void checkAlive() const {
    if (isLost()) [[unlikely]]
      throw lostError();
  }
  DeviceError lostError() const;
  /// Ends the use of foreign memory and drops its owner: immediately, or, if the host can see the memory and may still
  /// hold addresses into it, with the last reference. All work on it has run.
  void close();

  /// Queued work uses the memory up to this position.
  void use(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) { block->uses.note(timeline, position); }
  void use(const StreamPoint &point) { use(point.timeline, point.position); }
  /// So do all positions noted in it later.
  void share(std::shared_ptr<const SharedUse> use) { block->uses.share(std::move(use)); }
  /// The last use on each stream, complete or not.
  std::vector<StreamPoint> uses() const { return block->uses.all(); }
  /// All known unfinished work on it is on that stream.
  bool isUsedOnlyOn(const Stream &stream) const { return !isUsedBefore() && block->uses.areOnlyOn(stream.timeline()); }
  /// No known unfinished work uses the memory.
  bool hasNoUses() const { return block->uses.areComplete(); }
  /// No known unfinished work uses the memory, and no work that used it may have failed.
  bool isQuiet() const { return block->uses.areComplete() && !isUsedBefore() && !device().haveFailures(); }
  /// Another library was given the memory: it is never reused.
  void leaveCache() const { block->isShared.store(true, std::memory_order_relaxed); }
  /// A foreign user may still use the memory: work on it needs a UseOrder.
  bool isUsedBefore() const { return (usedBefore.timeline && !usedBefore.isComplete()) || producer(); }
  /// By an earlier owner of the memory.
  const StreamPoint &earlierUse() const { return usedBefore; }
  /// Of foreign memory; null: it is the device's.
  const MemoryOwner *memoryOwner() const { return block->owner ? &*block->owner : nullptr; }
  /// The stream on which another library uses the memory as well; null: none.
  Stream *producer() const { return block->owner ? block->owner->producer.get() : nullptr; }

private:
  MemoryResource &resource; ///< outlives all buffers: the Runtime's are never destroyed
};

/// For work that is recorded into a graph.
TREADLE_API std::shared_ptr<const CapturedMemory> capturedMemory(std::shared_ptr<Buffer> buffer);

} // namespace treadle
