// Lanes: a value in the generators, for one thread (PTX) or for the 32 threads of a warp (CPU) alike.
#pragma once

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Value;
}

namespace treadle::codegen {

/// One machine value. Its shape is one of
/// - uniform: `value` is a scalar that every lane shares (on PTX: the thread's own scalar);
/// - affine: `value` is lane 0's scalar (an integer or pointer) and lane l holds
///   value + s0 * (l % R) + s1 * (l / R), with scalar strides of the same integer type (bytes, i64, for pointers);
///   R is the lane model's run length. Inactive lanes follow the same rule.
/// - varying: `value` is a vector with one element per lane.
struct Leaf {
  llvm::Value *value = nullptr;
  llvm::Value *s0 = nullptr;
  llvm::Value *s1 = nullptr;

  Leaf() = default;
  Leaf(llvm::Value *uniformOrVarying) : value(uniformOrVarying) {}
  Leaf(llvm::Value *base, llvm::Value *s0, llvm::Value *s1) : value(base), s0(s0), s1(s1) {}
  bool isAffine() const { return s0 != nullptr; }
};

bool isUniform(const Leaf &leaf);

/// The leaves of a value of some Type, in this order: Bool, Int, Float: one. Complex: real, imaginary. None and types
/// that exist only while compiling: none. Optional: a Bool that says whether there is a value, then the value's. Tuple:
/// its items'. Array: pointer to element [0, ..., 0], the extents (i64), and for Layout::Any the strides in bytes
/// (i64).
using Lanes = llvm::SmallVector<Leaf, 2>;

/// Consecutive leaves of a value.
struct LeafSpan {
  unsigned first, count;
};

} // namespace treadle::codegen
