// WarpModel: variables. Each leaf of a slot lives in an alloca of the shape that its assignments need; LLVM promotes
// them.
#include "codegen/cpu/warp_model.h"

#include "support/error.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace treadle::codegen {

using Kind = LeafShape::Kind;

static LeafShape shapeOf(const Leaf &leaf) {
  if (!leaf.isAffine())
    return {leaf.value->getType()->isVectorTy() ? Kind::Varying : Kind::Uniform, 0, std::nullopt};
  auto *s0 = dyn_cast<ConstantInt>(leaf.s0), *s1 = dyn_cast<ConstantInt>(leaf.s1);
  if (!s0)
    return {Kind::Varying, 0, std::nullopt};
  const bool isAligned = leaf.value->getType()->isIntegerTy() && isMultipleOfWarp(leaf.value);
  return {Kind::Affine, s0->getSExtValue(), s1 ? std::optional(s1->getSExtValue()) : std::nullopt, isAligned};
}

WarpModel::Storage &WarpModel::storage(Frame &frame) { return static_cast<Storage &>(*frame.storage); }

void WarpModel::declareSlots(Frame &frame) {
  auto made = std::make_unique<Storage>();
  const unsigned caller = frame.caller ? storage(*frame.caller).activation : rootActivation;
  made->activation = program.shapes.activation(caller, frame.site);
  made->liveness = &program.livenessOf(*frame.function);
  made->entryMask = mask;
  const size_t count = frame.function->slots.size() + 1;
  made->homes.resize(count);
  made->runStrides.resize(count);
  frame.storage = std::move(made);
  // What was assigned in an earlier activation is not this one's: without this, loops would carry it along.
  for (const typed::Slot *slot : frame.function->slots) {
    SmallVector<llvm::Type *, 4> types;
    e->leafTypes(slot->type, types);
    for (unsigned leaf = 0; leaf < types.size(); ++leaf)
      if (program.shapes.leaf(storage(frame).activation, slot->index, leaf).kind != Kind::Unset)
        home(frame, slot->index, leaf, types[leaf]);
  }
  SmallVector<llvm::Type *, 4> results;
  if (const Type *result = frame.function->signature.result)
    e->leafTypes(result, results);
  for (unsigned leaf = 0; leaf < results.size(); ++leaf)
    if (program.shapes.leaf(storage(frame).activation, uint32_t(count) - 1, leaf).kind != Kind::Unset)
      home(frame, uint32_t(count) - 1, leaf, results[leaf]);
}

/// The alloca of a leaf under its present shape. A shape that rises in this round makes another: the round is void
/// anyway.
AllocaInst *WarpModel::home(Frame &frame, uint32_t slot, unsigned leaf, llvm::Type *type) {
  Storage &data = storage(frame);
  const LeafShape &shape = program.shapes.leaf(data.activation, slot, leaf);
  llvm::Type *wanted = shape.kind == Kind::Varying ? vectorOf(type) : type;
  auto &homes = data.homes[slot];
  auto &strides = data.runStrides[slot];
  if (homes.size() <= leaf) {
    homes.resize(leaf + 1);
    strides.resize(leaf + 1);
  }
  if (!homes[leaf] || homes[leaf]->getAllocatedType() != wanted) {
    homes[leaf] = entryAlloca(wanted, "slot");
    e->builder.CreateStore(Constant::getNullValue(wanted), homes[leaf]);
  }
  if (shape.kind == Kind::Affine && !shape.s1 && !strides[leaf]) {
    strides[leaf] = entryAlloca(type->isPointerTy() ? e->builder.getInt64Ty() : type, "stride");
    e->builder.CreateStore(Constant::getNullValue(strides[leaf]->getAllocatedType()), strides[leaf]);
  }
  return homes[leaf];
}

void WarpModel::clearSlot(Frame &frame, uint32_t slot) {
  for (const auto *homes : {&storage(frame).homes[slot], &storage(frame).runStrides[slot]})
    for (AllocaInst *home : *homes)
      if (home)
        e->builder.CreateStore(Constant::getNullValue(home->getAllocatedType()), home);
}

Leaf WarpModel::readLeaf(Frame &frame, uint32_t slot, unsigned leaf, llvm::Type *type) {
  Storage &data = storage(frame);
  AllocaInst *from = home(frame, slot, leaf, type);
  const LeafShape &shape = program.shapes.leaf(data.activation, slot, leaf);
  Value *base = e->builder.CreateLoad(from->getAllocatedType(), from);
  if (shape.kind != Kind::Affine)
    return base;
  if (shape.isAligned)
    base = asMultipleOfWarp(base);
  llvm::Type *strideType = type->isPointerTy() ? e->builder.getInt64Ty() : type;
  Value *s0 = ConstantInt::get(strideType, uint64_t(shape.s0), true);
  if (shape.s1)
    return {base, s0, ConstantInt::get(strideType, uint64_t(*shape.s1), true)};
  return {base, s0, e->builder.CreateLoad(strideType, data.runStrides[slot][leaf])};
}

void WarpModel::writeLeaf(Frame &frame, uint32_t slot, unsigned leaf, Leaf value, bool blends) {
  Storage &data = storage(frame);
  IRBuilder<> &b = e->builder;
  llvm::Type *type = value.value->getType()->getScalarType();
  const LeafShape wanted = blends ? LeafShape{Kind::Varying, 0, std::nullopt} : shapeOf(value);
  const LeafShape shape = program.shapes.raise(data.activation, slot, leaf, wanted);
  AllocaInst *to = home(frame, slot, leaf, type);
  if (shape.kind == Kind::Varying) {
    Value *vector = spread(value);
    if (blends)
      vector = b.CreateSelect(mask, vector, b.CreateLoad(to->getAllocatedType(), to));
    b.CreateStore(vector, to);
    return;
  }
  b.CreateStore(value.value, to);
  if (shape.kind == Kind::Affine && !shape.s1)
    b.CreateStore(value.s1, data.runStrides[slot][leaf]);
}

/// Lanes that are not active now will read the slot's old value.
bool WarpModel::isBlended(Frame &frame, const typed::Slot &slot) {
  if (!mask)
    return false;
  Storage &data = storage(frame);
  if (data.everythingWaits)
    return true;
  for (const BitVector *waiting : data.waiting)
    if (waiting && waiting->test(slot.index))
      return true;
  return false;
}

Lanes WarpModel::readSlot(Frame &frame, const typed::Slot &slot) {
  SmallVector<llvm::Type *, 4> types;
  e->leafTypes(slot.type, types);
  Lanes result;
  for (unsigned leaf = 0; leaf < types.size(); ++leaf)
    result.push_back(readLeaf(frame, slot.index, leaf, types[leaf]));
  return result;
}

void WarpModel::writeSlot(Frame &frame, const typed::Slot &slot, const Lanes &value) {
  const bool blends = isBlended(frame, slot);
  for (unsigned leaf = 0; leaf < value.size(); ++leaf)
    writeLeaf(frame, slot.index, leaf, value[leaf], blends);
}

} // namespace treadle::codegen
