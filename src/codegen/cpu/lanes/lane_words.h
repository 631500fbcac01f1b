// Elements of vectors of integers as scalars, in few instructions: out of words of 64 bits, before they were widened.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace treadle::codegen {

/// A vector of integers that has been widened, and how.
struct Narrowed {
  llvm::Value *vector;
  bool isSigned;
  unsigned bits() const { return vector->getType()->getScalarSizeInBits(); }
  /// Whether words have whole elements, and more than one: not of bits, nor of widths that LLVM makes up.
  bool fitsWords() const {
    return vector->getType()->isIntOrIntVectorTy() && (bits() == 8 || bits() == 16 || bits() == 32);
  }
};

/// Looks through conversions that keep every value.
Narrowed narrowed(llvm::Value *vector);

/// One element of `narrow`, which fitsWords(), as the integer `type`. One element per cycle moves from a vector to a
/// register, so a word of several does, of which the element is shifted out.
llvm::Value *elementOfWord(llvm::IRBuilder<> &b, const Narrowed &narrow, unsigned lane, llvm::Type *type);

} // namespace treadle::codegen
