// Arrays in memory of somebody else: what a protocol says of them, and views after all of that has been checked.
#pragma once

#include "memory/array_view.h"
#include "memory/buffer.h"

namespace treadle {

/// An array as a protocol describes it. Nothing of it has been checked.
struct ArrayDescription {
  void *data = nullptr;   ///< element [0, ..., 0]
  StridedExtents extents; ///< refers to memory of the protocol's
  const Type *element = nullptr;
  bool isReadOnly = false;
};

/// The elements, without an owner yet. Throws UsageError (Buffer) for extents, strides and addresses that no array in
/// memory has.
TREADLE_API ArrayView viewOf(const ArrayDescription &description);

/// All bytes of its elements, and those between them.
TREADLE_API std::span<char> memoryOf(const ArrayView &view);

/// Gives such a view a buffer. `resource`: of the device in whose memory it lies.
TREADLE_API void ownElements(ArrayView &view, MemoryResource &resource, MemoryOwner &&owner);

} // namespace treadle
