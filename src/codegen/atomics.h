// Atomic read-modify-write operations: what each computes, and how one thread performs it. For both generators.
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

/// Whether the CPU has one instruction for it, per element of a vector; otherwise it is a loop that retries.
bool isOneInstruction(const AtomicAction &action);

/// Replaces what is at `address` by `made` if it is `seen`; returns what was there. Integers of the element's width.
using CompareAndSwap = llvm::Value *(*)(llvm::IRBuilder<> &, llvm::Value *address, llvm::Value *seen,
                                        llvm::Value *made);

/// Computes the new value from the one read, and retries until no other write came in between. Returns the old value.
llvm::Value *emitAtomicLoop(llvm::IRBuilder<> &builder, const AtomicAction &action, llvm::Value *address,
                            CompareAndSwap swap);

/// Performs the operation and returns the old value. Relaxed, as CUDA's atomics are. Without `isShared`, no other
/// thread of the machine can access the element meanwhile, so plain instructions suffice.
llvm::Value *emitAtomic(llvm::IRBuilder<> &builder, const AtomicAction &action, llvm::Value *address, bool isShared);

} // namespace treadle::codegen
