// Memory for new arrays.
#pragma once

#include "memory/array_view.h"
#include "memory/memory_manager.h"

namespace treadle {

/// The memory order of a new array's elements.
struct ElementOrder {
  bool isFortran = false;
  std::optional<std::span<const int64_t>> strides; ///< bytes, instead of those of the order
};

/// Where a new array's memory comes from.
struct MemorySource {
  MemoryManager &manager;
  const StreamTimeline *stream = nullptr; ///< as in AllocationRequest
  MemoryKind kind = MemoryKind::Device;
  /// Called before the request fails for lack of memory: returns when the uses of memory without an owner are complete.
  void (*wait)(std::span<const StreamPoint> points);
};

/// Sets the strides of a view whose extents and bytes per element are set, and gives it a buffer of its own, from its
/// first byte to its last. Throws UsageError (Value) for invalid extents and strides, DeviceError, and what `wait`
/// throws.
TREADLE_API void allocateElements(ArrayView &view, const ElementOrder &order, const MemorySource &source);

} // namespace treadle
