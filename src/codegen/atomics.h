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
  llvm::Value *compare = nullptr; ///< CompareAndSwap: what the element must be
};

/// What the element becomes; of vectors, each.
llvm::Value *updatedByAtomic(llvm::IRBuilder<> &builder, const AtomicAction &action, llvm::Value *old);

/// Whether a machine like the CPU has it as one instruction, of vectors for each element; else it retries in a loop.
bool isOneInstruction(const AtomicAction &action);

/// Performs it and gives the old value. Relaxed, as CUDA's atomics are. Not `isShared`: no other thread of the machine
/// can touch the element meanwhile, so that plain instructions do.
llvm::Value *emitAtomic(llvm::IRBuilder<> &builder, const AtomicAction &action, llvm::Value *address, bool isShared);

} // namespace treadle::codegen
