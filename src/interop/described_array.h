// ForeignArray: an array as a protocol describes it, validated.
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

/// The one way from a protocol to an array: validated when it is made, then located, then owned.
struct TREADLE_API ForeignArray {
  ArrayView view;         ///< without an owner, until `own`
  std::span<char> memory; ///< all bytes of its elements, including the gaps between them
  const Type *element = nullptr;
  bool isReadOnly = false;

  ForeignArray() = default;
  /// Throws UsageError (Buffer) for invalid extents, strides and addresses.
  explicit ForeignArray(const ArrayDescription &description);

  /// Gives the view a buffer over the memory, to be called once. `resource`: that of the device which has the memory,
  /// at `address`.
  void own(MemoryResource &resource, char *address, MemoryOwner &&owner);
};

} // namespace treadle
