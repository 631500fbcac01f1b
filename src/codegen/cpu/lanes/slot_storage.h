// SlotStorage: the storage of one activation's variables on the CPU.
#pragma once

#include "codegen/cpu/lanes/warp_shapes.h"
#include "codegen/lanes.h"

#include "llvm/IR/IRBuilder.h"

#include <array>
#include <vector>

namespace treadle::codegen {

class WarpLanes;

/// Each leaf of a slot lives in an alloca of the shape that its assignments have needed so far: a scalar, a scalar with
/// strides, or a vector, of fewer bits where these suffice. LLVM promotes them. A raised shape gets another alloca: the
/// round is void anyway.
class SlotStorage {
public:
  struct Owner {
    WarpLanes &model;
    llvm::IRBuilder<> &builder;
    WarpShapes &shapes;
    unsigned activation;
    llvm::ArrayRef<uint8_t> narrow; ///< bits that hold a slot's values, as findNarrowSlots() has them
    bool areScalarsNarrow = false;  ///< not only vectors
  };
  struct SlotLeaf {
    uint32_t slot;
    unsigned leaf;
    bool isExtent = false; ///< of an array, or a stride
  };

  SlotStorage(const Owner &owner, size_t slotCount) : owner(owner), places(slotCount) {}

  /// Creates the allocas of the leaves whose shape is known.
  void declare(uint32_t slot, llvm::ArrayRef<llvm::Type *> leaves);
  Leaf read(SlotLeaf at, llvm::Type *type);
  /// If `lanes` is given, the other lanes keep their value.
  void write(SlotLeaf at, const Leaf &value, llvm::Value *lanes);
  /// Makes the value of the slot undefined.
  void clear(uint32_t slot);

  /// The storage of a leaf.
  struct Place {
    llvm::AllocaInst *base = nullptr;              ///< lane 0's value of an affine leaf, or the whole of any other
    llvm::AllocaInst *s0 = nullptr, *s1 = nullptr; ///< of an affine leaf, if they are not constants
    std::array<llvm::AllocaInst *, 3> parts() const { return {base, s0, s1}; }
  };
  const Place &place(SlotLeaf at, llvm::Type *type);

private:
  llvm::AllocaInst *stride(llvm::Type *type);
  llvm::Type *elementType(SlotLeaf at, llvm::Type *type) const;
  bool isNarrow(LeafShape::Kind kind) const {
    return kind == LeafShape::Kind::Varying || (owner.areScalarsNarrow && kind == LeafShape::Kind::Uniform);
  }
  const LeafShape &shape(SlotLeaf at) { return owner.shapes.leaf(owner.activation, at.slot, at.leaf); }

  Owner owner;
  std::vector<std::vector<Place>> places; ///< per slot and leaf
};

} // namespace treadle::codegen
