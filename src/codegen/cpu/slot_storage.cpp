// SlotStorage: where the variables of one activation live on the CPU.
#include "codegen/cpu/slot_storage.h"

#include "codegen/cpu/warp_lanes.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace treadle::codegen {

using Kind = LeafShape::Kind;

static LeafShape shapeOf(const Leaf &leaf, unsigned lanes) {
  if (!leaf.isAffine())
    return {leaf.value->getType()->isVectorTy() ? Kind::Varying : Kind::Uniform, 0, std::nullopt};
  auto *s0 = dyn_cast<ConstantInt>(leaf.s0), *s1 = dyn_cast<ConstantInt>(leaf.s1);
  if (!s0)
    return {Kind::Varying, 0, std::nullopt};
  const bool isAligned = leaf.value->getType()->isIntegerTy() && isMultipleOfWarp(leaf.value, lanes);
  return {Kind::Affine, s0->getSExtValue(), s1 ? std::optional(s1->getSExtValue()) : std::nullopt, isAligned};
}

static llvm::Type *strideType(IRBuilder<> &b, llvm::Type *type) { return type->isPointerTy() ? b.getInt64Ty() : type; }

void SlotStorage::declare(uint32_t slot, ArrayRef<llvm::Type *> leaves) {
  for (unsigned leaf = 0; leaf < leaves.size(); ++leaf)
    if (shape({slot, leaf}).kind != Kind::Unset)
      base({slot, leaf}, leaves[leaf]);
}

/// Of a vector. Arithmetic on fewer bits needs fewer registers, and LLVM finds it from here on.
llvm::Type *SlotStorage::elementType(SlotLeaf at, llvm::Type *type) const {
  const unsigned bits = at.slot < owner.narrow.size() ? owner.narrow[at.slot] : 0;
  return bits ? owner.builder.getIntNTy(bits) : type;
}

AllocaInst *SlotStorage::base(SlotLeaf at, llvm::Type *type) {
  IRBuilder<> &b = owner.builder;
  const LeafShape &known = shape(at);
  llvm::Type *wanted = known.kind == Kind::Varying ? owner.model.vectorOf(elementType(at, type)) : type;
  auto &leaves = bases[at.slot];
  auto &strides = runStrides[at.slot];
  if (leaves.size() <= at.leaf) {
    leaves.resize(at.leaf + 1);
    strides.resize(at.leaf + 1);
  }
  AllocaInst *&found = leaves[at.leaf], *&stride = strides[at.leaf];
  if (!found || found->getAllocatedType() != wanted) {
    found = entryAlloca(b, wanted, "slot");
    b.CreateStore(Constant::getNullValue(wanted), found);
  }
  if (known.kind == Kind::Affine && !known.s1 && !stride) {
    stride = entryAlloca(b, strideType(b, type), "stride");
    b.CreateStore(Constant::getNullValue(stride->getAllocatedType()), stride);
  }
  return found;
}

void SlotStorage::clear(uint32_t slot) {
  for (const auto *leaves : {&bases[slot], &runStrides[slot]})
    for (AllocaInst *leaf : *leaves)
      if (leaf)
        owner.builder.CreateStore(Constant::getNullValue(leaf->getAllocatedType()), leaf);
}

Leaf SlotStorage::read(SlotLeaf at, llvm::Type *type) {
  IRBuilder<> &b = owner.builder;
  AllocaInst *from = base(at, type);
  const LeafShape &known = shape(at);
  Value *value = b.CreateLoad(from->getAllocatedType(), from);
  if (known.kind == Kind::Varying && type->isIntegerTy())
    return b.CreateSExt(value, owner.model.vectorOf(type));
  if (known.kind != Kind::Affine)
    return value;
  if (known.isAligned)
    value = owner.model.asMultipleOfWarp(value);
  llvm::Type *step = strideType(b, type);
  Value *s0 = ConstantInt::get(step, uint64_t(known.s0), true);
  if (known.s1)
    return {value, s0, ConstantInt::get(step, uint64_t(*known.s1), true)};
  return {value, s0, b.CreateLoad(step, runStride(at))};
}

void SlotStorage::write(SlotLeaf at, const Leaf &value, Value *lanes) {
  IRBuilder<> &b = owner.builder;
  llvm::Type *type = value.value->getType()->getScalarType();
  const LeafShape wanted = lanes ? LeafShape{Kind::Varying, 0, std::nullopt} : shapeOf(value, owner.model.laneCount());
  const LeafShape raised = owner.shapes.raise(owner.activation, at.slot, at.leaf, wanted);
  AllocaInst *to = base(at, type);
  if (raised.kind == Kind::Varying) {
    Value *vector = owner.model.splat(value);
    if (type->isIntegerTy())
      vector = b.CreateTrunc(vector, to->getAllocatedType());
    if (lanes)
      vector = b.CreateSelect(lanes, vector, b.CreateLoad(to->getAllocatedType(), to));
    b.CreateStore(vector, to);
    return;
  }
  b.CreateStore(value.value, to);
  if (raised.kind == Kind::Affine && !raised.s1)
    b.CreateStore(value.s1, runStride(at));
}

} // namespace treadle::codegen
