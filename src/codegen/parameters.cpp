// Leaves of parameters, and their offsets.
#include "codegen/parameters.h"

#include "passes/analyses/written_arrays.h"

namespace treadle::codegen {

namespace {

using Source = ParameterLeaf::Source;

/// The order must be that of Emitter::leafTypes: generators match leaves with LLVM's arguments by position. Types that
/// exist only while compiling have no leaves in either.
class Flattener {
public:
  explicit Flattener(unsigned extentBytes) : extentBytes(extentBytes) {}

  std::vector<ParameterLeaf> leaves;

  /// Each item of a tuple is an argument of its own, as argumentLeaves() counts them.
  void add(const Type *type) {
    if (type->isTuple()) {
      for (const Type *item : type->items())
        add(item);
      return;
    }
    addValue(type);
    ++argument; // None counts as an argument, but has no leaf
  }

private:
  const unsigned extentBytes;
  uint16_t argument = 0;

  /// Offsets come later: PTX drops leaves that the kernel does not read, which moves the others.
  void addLeaf(Source source, unsigned index, unsigned bytes) {
    leaves.push_back({source, argument, uint8_t(index), uint8_t(bytes), 0});
  }

  void addValue(const Type *type) {
    switch (type->kind()) {
    case TypeKind::Bool:
    case TypeKind::Int:
    case TypeKind::Float:
      return addLeaf(Source::Scalar, 0, type->bytes());
    case TypeKind::Complex:
      addLeaf(Source::Scalar, 0, type->bytes() / 2);
      return addLeaf(Source::Scalar, 1, type->bytes() / 2);
    case TypeKind::Optional:
      addLeaf(Source::HasValue, 0, 1);
      return addValue(type->element());
    case TypeKind::Array:
      addLeaf(Source::Pointer, 0, 8);
      for (unsigned axis = 0; axis < type->ndim(); ++axis)
        addLeaf(Source::Extent, axis, extentBytes);
      for (unsigned axis = 0; type->layout() == Layout::Any && axis < type->ndim(); ++axis)
        addLeaf(Source::Stride, axis, 8);
      return;
    default:
      return;
    }
  }
};

} // namespace

std::vector<ParameterLeaf> parameterLeaves(const Signature &signature, unsigned extentBytes) {
  Flattener flattener(extentBytes);
  for (const Type *type : signature.arguments)
    flattener.add(type);
  return std::move(flattener.leaves);
}

/// Sizes are powers of two. There is no padding at the end.
ParameterLayout layOut(std::vector<ParameterLeaf> leaves) {
  ParameterLayout layout;
  for (ParameterLeaf &leaf : leaves) {
    leaf.offset = (layout.size + leaf.bytes - 1) / leaf.bytes * leaf.bytes;
    layout.size = leaf.offset + leaf.bytes;
  }
  layout.leaves = std::move(leaves);
  return layout;
}

std::vector<unsigned> parametersOf(const TypedFunction &function) {
  std::vector<unsigned> result;
  for (unsigned i = 0; i < function.parameterCount; ++i)
    result.insert(result.end(), argumentLeaves(function.slots[i]->type), i);
  return result;
}

/// By argument: a number cannot be written, so only pointers are looked at, and the rest stays false.
std::vector<bool> writtenLeaves(const TypedFunction &kernel, std::span<const ParameterLeaf> leaves) {
  const llvm::BitVector written = writtenParameters(kernel);
  const std::vector<unsigned> parameters = parametersOf(kernel);
  std::vector<bool> writes(parameters.size());
  for (const ParameterLeaf &leaf : leaves)
    if (leaf.source == ParameterLeaf::Source::Pointer)
      writes[leaf.argument] = written.test(parameters[leaf.argument]);
  return writes;
}

} // namespace treadle::codegen
