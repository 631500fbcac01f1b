// Memory for new arrays.
#pragma once

#include "memory/array_view.h"
#include "memory/memory_manager.h"

namespace treadle {

/// How the elements of a new array lie.
struct ElementOrder {
  bool isFortran = false;
  std::optional<std::span<const int64_t>> strides; ///< bytes, instead of those of the order
};

/// Where a new array's memory comes from.
struct MemorySource {
  MemoryManager &manager;
  const StreamTimeline *stream = nullptr; ///< as in AllocationRequest
  MemoryKind kind = MemoryKind::Device;
  /// Called before the request fails for want of memory: returns when what uses memory without an owner has run.
  void (*wait)(std::span<const StreamPoint> points);
};

/// Gives a view, whose extents and bytes of an element are set, its strides and a buffer of its own, from the first of
/// its bytes to the last. Throws UsageError (Value) for extents and strides that no array has, DeviceError, and what
/// `wait` throws.
TREADLE_API void allocateElements(ArrayView &view, const ElementOrder &order, const MemorySource &source);

} // namespace treadle
