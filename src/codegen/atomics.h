// Atomic read-modify-write operations: their semantics, and their emission for one thread. For both generators.
#pragma once

#include "builtins/operation.h"

#include "llvm/IR/IRBuilder.h"

namespace treadle::codegen {

/// One thread's operation on one element, all operands scalars of the element's type.
struct AtomicAction {
  AtomicOperation op;
  bool isSigned;
  llvm::Value *operand;
  llvm::Value *compare = nullptr; ///< CompareAndSwap: the value that the element must have
};

/// The new value of the element; for vectors, of each element.
llvm::Value *updatedByAtomic(llvm::IRBuilder<> &builder, const AtomicAction &action, llvm::Value *old);

/// Whether the CPU has a single instruction for it, per element of a vector; otherwise it is a retry loop.
bool isOneInstruction(const AtomicAction &action);

/// Replaces the value at `address` by `made` if it is `seen`; returns the old value. Integers of the element's width.
using CompareAndSwap = llvm::Value *(*)(llvm::IRBuilder<> &, llvm::Value *address, llvm::Value *seen,
                                        llvm::Value *made);

/// Computes the new value from the one read, and retries until no other write intervened. Returns the old value.
llvm::Value *emitAtomicLoop(llvm::IRBuilder<> &builder, const AtomicAction &action, llvm::Value *address,
                            CompareAndSwap swap);

/// Whether several operands can be combined into one by a reduction, in any order, and one changes no element. There is
/// none of floats' minima and maxima that treats NaN as the operation does.
bool hasNeutralOperand(AtomicOperation op, bool isFloat);
/// The operand that changes no element: x + -0.0 is x, also where x is -0.0. Of all that have one, and floats'
/// extremes.
llvm::Constant *neutralOperand(llvm::Type *type, AtomicOperation op, bool isSigned);

/// Performs the operation and returns the old value. Relaxed, as CUDA's atomics are. Without `isShared`, no other
/// thread of the machine can access the element concurrently, so plain instructions suffice.
llvm::Value *emitAtomic(llvm::IRBuilder<> &builder, const AtomicAction &action, llvm::Value *address, bool isShared);

} // namespace treadle::codegen
