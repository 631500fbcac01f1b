// SlotStorage: where the variables of one activation live on the CPU.
#pragma once

#include "codegen/cpu/warp_shapes.h"
#include "codegen/lanes.h"

#include "llvm/IR/IRBuilder.h"

#include <vector>

namespace treadle::codegen {

class WarpLanes;

/// Each leaf of a slot lives in an alloca of the shape that its assignments need so far: a scalar, a scalar beside a
/// step from run to run, or a vector, of fewer bits where these are enough. LLVM promotes them. A shape that rises
/// makes another alloca: the round is void anyway.
class SlotStorage {
public:
  struct Owner {
    WarpLanes &model;
    llvm::IRBuilder<> &builder;
    WarpShapes &shapes;
    unsigned activation;
    llvm::ArrayRef<uint8_t> narrow; ///< bits that hold a slot's values, as findNarrowSlots() has them
  };
  struct SlotLeaf {
    uint32_t slot;
    unsigned leaf;
  };

  SlotStorage(const Owner &owner, size_t slotCount) : owner(owner), bases(slotCount), runStrides(slotCount) {}

  /// Makes the allocas of the leaves that have a shape already.
  void declare(uint32_t slot, llvm::ArrayRef<llvm::Type *> leaves);
  Leaf read(SlotLeaf at, llvm::Type *type);
  /// If `lanes` is given, the other lanes keep their value.
  void write(SlotLeaf at, const Leaf &value, llvm::Value *lanes);
  /// Makes the value of the slot undefined.
  void clear(uint32_t slot);

  /// Lane 0's value of an affine leaf, or the whole of any other.
  llvm::AllocaInst *base(SlotLeaf at, llvm::Type *type);
  /// s1 of an affine leaf if it is not a constant, else nullptr. Call base() first.
  llvm::AllocaInst *runStride(SlotLeaf at) const { return runStrides[at.slot][at.leaf]; }

private:
  llvm::Type *elementType(SlotLeaf at, llvm::Type *type) const;
  const LeafShape &shape(SlotLeaf at) { return owner.shapes.leaf(owner.activation, at.slot, at.leaf); }

  Owner owner;
  std::vector<std::vector<llvm::AllocaInst *>> bases, runStrides; ///< per slot and leaf
};

} // namespace treadle::codegen
