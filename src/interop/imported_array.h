// ImportedArray: memory of somebody else as an array, after all that was said of it has been checked.
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

struct ImportedArray {
  ArrayView view; ///< with a buffer of its own
  const Type *element = nullptr;
  bool isReadOnly = false;
};

/// `resource`: of the device in whose memory it lies. Throws UsageError (Buffer) for extents and strides that no array
/// in memory has; the owner is dropped then.
TREADLE_API ImportedArray importArray(const ArrayDescription &description, MemoryResource &resource,
                                      MemoryOwner memory);

} // namespace treadle
