// LaneTable: a vector in memory, whose elements are accessed by lane number.
#pragma once

#include "codegen/cpu/lanes/lane_sets.h"

#include "llvm/IR/IRBuilder.h"

namespace treadle::codegen {

/// For code that runs lane by lane: extracting an element by a number that is known at run time would go through memory
/// each time. The table is in the entry block's frame; its contents are those of the vector when it is made.
class LaneTable {
public:
  LaneTable(llvm::IRBuilder<> &b, llvm::Value *vector, const char *name = "by.lane")
      : b(b), isBool(vector->getType()->getScalarType()->isIntegerTy(1)) {
    if (isBool) // in memory these would be bits
      vector = b.CreateZExt(vector, vector->getType()->getWithNewBitWidth(8));
    memory = entryAlloca(b, vector->getType(), name);
    b.CreateStore(vector, memory);
  }

  /// `lane`: i32, below the number of lanes; nothing checks it.
  llvm::Value *read(llvm::Value *lane) const {
    llvm::Value *value = b.CreateLoad(elementType(), at(lane));
    return isBool ? b.CreateTrunc(value, b.getInt1Ty()) : value;
  }
  void write(llvm::Value *lane, llvm::Value *value) const {
    b.CreateStore(isBool ? b.CreateZExt(value, b.getInt8Ty()) : value, at(lane));
  }
  /// The vector, with what has been written by lane since.
  llvm::Value *all() const {
    llvm::Value *vector = b.CreateLoad(memory->getAllocatedType(), memory);
    return isBool ? b.CreateTrunc(vector, vector->getType()->getWithNewBitWidth(1)) : vector;
  }

private:
  llvm::Type *elementType() const { return memory->getAllocatedType()->getScalarType(); }
  llvm::Value *at(llvm::Value *lane) const {
    return b.CreateGEP(elementType(), memory, b.CreateZExt(lane, b.getInt64Ty()));
  }

  llvm::IRBuilder<> &b;
  bool isBool;
  llvm::AllocaInst *memory;
};

} // namespace treadle::codegen
