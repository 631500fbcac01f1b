// The alignment that a kernel's code assumes of its arrays' elements, and the arrays that lack it.
#pragma once

#include "launch/arguments.h"
#include "memory/array_view.h"
#include "types/signature.h"

#include <cstdint>
#include <span>
#include <vector>

namespace treadle {

inline StridedExtents extentsOf(const ArgumentLeaf &array) {
  return {{array.shape, array.ndim}, {array.strides, array.ndim}, array.itemBytes};
}

/// The alignment of each leaf's elements in bytes; 1 for leaves that are not arrays.
std::vector<uint64_t> alignmentsOf(const Signature &signature);

/// Fast path: whether all arrays satisfy the strictest alignment that their elements' type can have. Nearly all do.
bool areAllAligned(std::span<const ArgumentLeaf> leaves);

} // namespace treadle
