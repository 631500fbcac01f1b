// SlotStorage: the storage of one activation's variables on the CPU.
#include "codegen/cpu/lanes/slot_storage.h"

#include "codegen/cpu/lanes/warp_lanes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace treadle::codegen {

using Kind = LeafShape::Kind;

namespace {

/// What the value itself has; the variable's shape is the join over all of its assignments.
LeafShape shapeOf(const Leaf &leaf, unsigned lanes) {
  if (!leaf.isAffine())
    return {leaf.value->getType()->isVectorTy() ? Kind::Varying : Kind::Uniform};
  const bool isPointer = leaf.value->getType()->isPointerTy();
  const std::optional<int64_t> s0 = constantOf(leaf.s0);
  // Rows of an array are only accessed, while integers also take part in arithmetic, which is faster with a vector.
  if (!s0 && !isPointer)
    return {Kind::Varying};
  return {Kind::Affine, s0, constantOf(leaf.s1), !isPointer && isMultipleOfWarp(leaf.value, lanes)};
}

llvm::Type *strideType(IRBuilder<> &b, llvm::Type *type) { return type->isPointerTy() ? b.getInt64Ty() : type; }

/// A sum with an extended value is computed in the few bits: LLVM would otherwise widen the variable of a loop, for the
/// sake of the one extension, and no longer see that iterations only add to it.
Value *truncated(IRBuilder<> &b, Value *value, llvm::Type *type) {
  using namespace PatternMatch;
  Value *part = nullptr, *term = nullptr;
  const bool isSum = match(value, m_c_Add(m_SExt(m_Value(part)), m_Value(term)));
  const bool isDifference = !isSum && match(value, m_Sub(m_SExt(m_Value(part)), m_Value(term)));
  if (!part || part->getType() != type || !(isSum || isDifference))
    return b.CreateTrunc(value, type);
  term = b.CreateTrunc(term, type);
  return isSum ? b.CreateAdd(part, term) : b.CreateSub(part, term);
}

} // namespace

/// In the first round nothing is known, and storage is created when a leaf is first accessed.
void SlotStorage::declare(uint32_t slot, ArrayRef<llvm::Type *> leaves) {
  for (unsigned leaf = 0; leaf < leaves.size(); ++leaf)
    if (shape({slot, leaf}).kind != Kind::Unset)
      place({slot, leaf}, leaves[leaf]);
}

/// Where isNarrow(). Arithmetic on fewer bits needs fewer registers, and LLVM propagates it from here.
llvm::Type *SlotStorage::elementType(SlotLeaf at, llvm::Type *type) const {
  const unsigned bits = at.slot < owner.narrow.size() ? owner.narrow[at.slot] : 0;
  return bits ? owner.builder.getIntNTy(bits) : type;
}

/// Set to 0 where it is made, so that promotion finds a value on every path.
AllocaInst *SlotStorage::stride(llvm::Type *type) {
  AllocaInst *made = entryAlloca(owner.builder, strideType(owner.builder, type), "stride");
  owner.builder.CreateStore(Constant::getNullValue(made->getAllocatedType()), made);
  return made;
}

/// A stride that is a constant everywhere has no storage: its value is in the shape.
const SlotStorage::Place &SlotStorage::place(SlotLeaf at, llvm::Type *type) {
  IRBuilder<> &b = owner.builder;
  const LeafShape &known = shape(at);
  llvm::Type *wanted = isNarrow(known.kind) ? elementType(at, type) : type;
  if (known.kind == Kind::Varying)
    wanted = owner.model.vectorOf(wanted);
  auto &leaves = places[at.slot];
  if (leaves.size() <= at.leaf)
    leaves.resize(at.leaf + 1);
  Place &found = leaves[at.leaf];
  // A leaf whose shape has risen gets new storage. What was stored in the other is lost, but this round is void.
  if (!found.base || found.base->getAllocatedType() != wanted) {
    found.base = entryAlloca(b, wanted, "slot");
    b.CreateStore(Constant::getNullValue(wanted), found.base);
  }
  if (known.kind == Kind::Affine && !known.s0 && !found.s0)
    found.s0 = stride(type);
  if (known.kind == Kind::Affine && !known.s1 && !found.s1)
    found.s1 = stride(type);
  return found;
}

/// So that LLVM does not carry from warp to warp a value that none of them reads.
void SlotStorage::clear(uint32_t slot) {
  for (const Place &leaf : places[slot])
    for (AllocaInst *part : leaf.parts())
      if (part)
        owner.builder.CreateStore(Constant::getNullValue(part->getAllocatedType()), part);
}

/// Fewer bits are widened with the sign, as findNarrowSlots() has them. What is known of an affine value is put into
/// its form again, since a load from memory shows nothing.
Leaf SlotStorage::read(SlotLeaf at, llvm::Type *type) {
  IRBuilder<> &b = owner.builder;
  const Place &from = place(at, type);
  const LeafShape &known = shape(at);
  if (known.value)
    return ConstantInt::get(type, uint64_t(*known.value), true);
  Value *value = b.CreateLoad(from.base->getAllocatedType(), from.base);
  if (isNarrow(known.kind) && type->isIntegerTy())
    return b.CreateSExt(value, known.kind == Kind::Varying ? owner.model.vectorOf(type) : type);
  if (known.kind != Kind::Affine)
    return value;
  if (known.isAligned)
    value = owner.model.asMultipleOfWarp(value);
  llvm::Type *step = strideType(b, type);
  auto strideOf = [&](std::optional<int64_t> constant, AllocaInst *memory) -> Value * {
    return constant ? static_cast<Value *>(ConstantInt::get(step, uint64_t(*constant), true))
                    : b.CreateLoad(step, memory);
  };
  Value *s0 = strideOf(known.s0, from.s0);
  return {value, s0, strideOf(known.s1, from.s1)};
}

/// A variable of which lanes keep different assignments is a vector, whatever the shapes of these are. The shape is
/// raised first, and the storage taken that it then has: a shape that rises makes this round void, but not its IR
/// invalid.
void SlotStorage::write(SlotLeaf at, const Leaf &value, Value *lanes) {
  IRBuilder<> &b = owner.builder;
  llvm::Type *type = value.value->getType()->getScalarType();
  LeafShape wanted = lanes ? LeafShape{Kind::Varying} : shapeOf(value, owner.model.laneCount());
  // A constant extent is part of the shape, so that reads of it are constants as well.
  if (at.isExtent && wanted.kind == Kind::Uniform)
    wanted.value = constantOf(value.value);
  const LeafShape raised = owner.shapes.raise(owner.activation, at.slot, at.leaf, wanted);
  const Place &to = place(at, type);
  if (raised.kind == Kind::Varying) {
    Value *vector = owner.model.splat(value);
    if (type->isIntegerTy())
      vector = b.CreateTrunc(vector, to.base->getAllocatedType());
    if (lanes)
      vector = b.CreateSelect(lanes, vector, b.CreateLoad(to.base->getAllocatedType(), to.base));
    b.CreateStore(vector, to.base);
    return;
  }
  const bool isCut = isNarrow(raised.kind) && type->isIntegerTy();
  b.CreateStore(isCut ? truncated(b, value.value, to.base->getAllocatedType()) : value.value, to.base);
  if (raised.kind == Kind::Affine && !raised.s0)
    b.CreateStore(value.s0, to.s0);
  if (raised.kind == Kind::Affine && !raised.s1)
    b.CreateStore(value.s1, to.s1);
}

} // namespace treadle::codegen
