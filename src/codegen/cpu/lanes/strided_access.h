// Strided accesses as calls: what stands for them while LLVM optimises, until it is known which of them are of one row.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace treadle::codegen {

/// A load or store of the elements of all lanes, each `step` bytes after that of the lane before. There is no such
/// function: lowerStridedAccesses() replaces the calls. LLVM knows of them that they access memory through the pointer
/// only, and return.
struct StridedAccess {
  llvm::CallInst *call;

  static bool isAccess(const llvm::Function &callee);
  static std::optional<StridedAccess> of(llvm::Instruction &instruction);

  bool isStore() const { return call->getType()->isVoidTy(); }
  /// The first lane's element.
  llvm::Value *first() const { return call->getArgOperand(0); }
  uint64_t step() const { return number(1); }
  llvm::Align alignment() const { return llvm::Align(number(2)); }
  /// Of a store.
  llvm::Value *values() const { return call->getArgOperand(3); }
  llvm::FixedVectorType *type() const {
    return llvm::cast<llvm::FixedVectorType>(isStore() ? values()->getType() : call->getType());
  }
  uint64_t size() const { return type()->getScalarSizeInBits() / 8; }
  unsigned lanes() const { return type()->getNumElements(); }

private:
  uint64_t number(unsigned argument) const {
    return llvm::cast<llvm::ConstantInt>(call->getArgOperand(argument))->getZExtValue();
  }
};

/// Where the elements are. `step`: in bytes, above 0.
struct Strided {
  llvm::Value *first;
  uint64_t step;
  llvm::Align alignment;
};

llvm::Value *loadStrided(llvm::IRBuilder<> &b, llvm::Type *type, const Strided &where);
void storeStrided(llvm::IRBuilder<> &b, llvm::Value *values, const Strided &where);

} // namespace treadle::codegen
