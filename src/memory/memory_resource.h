// MemoryResource: allocates and frees the memory of buffers: Treadle's own manager, or another library's.
#pragma once

#include "device/device.h"
#include "memory/memory_block.h"
#include "support/export.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace treadle {

/// A live allocation; every Buffer is one.
struct LiveAllocation {
  MemoryBlock *block = nullptr; ///< owned
  char *memory = nullptr;       ///< the block's
  size_t askedBytes = 0;
  std::unique_ptr<const std::string> place; ///< in the program's source; null unless a PlaceSource is set
  enum class State : uint8_t {
    Usable,
    Lost,  ///< the device was reset; the memory itself stays until the last reference is dropped
    Closed ///< ended by the foreign owner
  };
  std::atomic<State> state{State::Usable};
  /// The unfinished use of the memory by a stream on behalf of an earlier owner; empty if there is none.
  StreamPoint usedBefore;
  LiveAllocation *before = nullptr, *after = nullptr; ///< links in a list of the resource's
};

struct MemoryFigures {
  size_t capacity = 0; ///< of the device, in bytes as all that follow
  size_t liveBytes = 0, liveCount = 0;
  size_t pendingBytes = 0, pendingCount = 0;
  size_t cachedBytes = 0, cachedCount = 0;
  size_t peakBytes = 0;    ///< the maximum of liveBytes since the last MemoryManager::resetPeak
  uint64_t askedCount = 0; ///< allocations so far; of these, the cache hits
  uint64_t servedCount = 0;
  /// The memory available to allocations: pending and cached blocks count as free.
  size_t freeBytes() const { return capacity > liveBytes ? capacity - liveBytes : 0; }
};

struct AllocationRequest {
  size_t bytes = 0;
  /// The stream that uses the memory first: it may get a block that it still uses (`usedBefore`); null: any stream.
  const StreamTimeline *stream = nullptr;
  MemoryKind kind = MemoryKind::Device;
  /// Memory that the device neither allocated nor frees: not counted, but lost with the rest at a reset.
  bool isForeign = false;
  char *foreign = nullptr;
  /// From the device itself, even while an external library allocates for it.
  bool isOwn = false;
};

/// The memory of one device. Thread-safe. Outlives all buffers.
class TREADLE_API MemoryResource {
public:
  explicit MemoryResource(Device &device) : owner(device) {}
  MemoryResource(const MemoryResource &) = delete;
  MemoryResource &operator=(const MemoryResource &) = delete;
  virtual ~MemoryResource();

  Device &device() const { return owner; }

  /// Fills in a new allocation, except for its list links. Throws DeviceError. Must not wait for streams.
  virtual void allocate(const AllocationRequest &request, LiveAllocation &allocation) = 0;
  /// The allocation has no owner left, but streams may still use its block, up to `block->uses`. Must not wait.
  virtual void release(LiveAllocation &allocation) noexcept = 0;
  virtual MemoryFigures figures() const = 0;
  /// The device was reset: all live allocations become lost. Throws the device's error.
  virtual void reset() = 0;

private:
  Device &owner;
};

} // namespace treadle
