// Foreign arrays: a protocol's description, validated into a view.
#pragma once

#include "memory/array_view.h"
#include "memory/buffer.h"

namespace treadle {

/// An array as a protocol describes it, unvalidated.
struct ArrayDescription {
  void *data = nullptr;   ///< element [0, ..., 0]
  StridedExtents extents; ///< refers to the protocol's memory
  const Type *element = nullptr;
  bool isReadOnly = false;
};

/// The elements, without an owner yet. Throws UsageError (Buffer) for invalid extents, strides and addresses.
TREADLE_API ArrayView viewOf(const ArrayDescription &description);

/// All bytes of its elements, including the gaps between them.
TREADLE_API std::span<char> memoryOf(const ArrayView &view);

/// Gives such a view a buffer. `resource`: that of the device in whose memory it lies.
TREADLE_API void ownElements(ArrayView &view, MemoryResource &resource, MemoryOwner &&owner);

} // namespace treadle
