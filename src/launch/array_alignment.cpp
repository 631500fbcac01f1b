// Alignments of arguments.
#include "launch/array_alignment.h"

#include "launch/arg_pack.h"

#include <algorithm>

namespace treadle {

std::vector<uint64_t> alignmentsOf(const Signature &signature) {
  std::vector<const Type *> types;
  for (const Type *argument : signature.arguments)
    appendLeaves(argument, types);
  std::vector<uint64_t> alignments;
  for (const Type *type : types) {
    const Type *const plain = type->isOptional() ? type->element() : type;
    const bool isAligned = plain->isArray() && !plain->isUnaligned();
    alignments.push_back(isAligned ? plain->element()->alignment() : 1);
  }
  return alignments;
}

bool areAllAligned(std::span<const ArgumentLeaf> leaves) {
  for (const ArgumentLeaf &leaf : leaves) {
    if (leaf.kind != ArgumentLeaf::Kind::Array)
      continue;
    // Elements are as long as a multiple of their alignment, and so are the strides of contiguous arrays.
    const uint64_t most = std::max(leaf.itemBytes & -leaf.itemBytes, 1u);
    const bool isContiguous = leaf.layout != Layout::Any;
    if (isContiguous ? reinterpret_cast<uintptr_t>(leaf.data) % most != 0
                     : !areAligned(leaf.data, extentsOf(leaf), most))
      return false;
  }
  return true;
}

} // namespace treadle
