// LaneSets: sets of lanes. Whether all lanes are in one is often known from a scalar or two: a guard `i < n` holds for
// the whole warp when it holds for its last lane.
#include "codegen/cpu/lane_sets.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace treadle::codegen {

VectorType *vectorOf(llvm::Type *scalar) { return FixedVectorType::get(scalar, warpLanes); }

AllocaInst *entryAlloca(IRBuilder<> &b, llvm::Type *type, const char *name) {
  BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> at(&entry, entry.begin());
  return at.CreateAlloca(type, nullptr, name);
}

Value *LaneSets::all() const { return Constant::getAllOnesValue(vectorOf(b.getInt1Ty())); }

Value *LaneSets::below(Value *remaining) {
  SmallVector<Constant *, warpLanes> numbers;
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    numbers.push_back(b.getInt8(uint8_t(lane)));
  Value *count =
      b.CreateTrunc(b.CreateBinaryIntrinsic(Intrinsic::umin, remaining, b.getInt64(warpLanes)), b.getInt8Ty());
  Value *lanes = b.CreateICmpULT(ConstantVector::get(numbers), b.CreateVectorSplat(warpLanes, count));
  knowAll(lanes, b.CreateICmpUGE(remaining, b.getInt64(warpLanes)));
  return lanes;
}

Value *LaneSets::isAny(Value *lanes) { return b.CreateICmpNE(bits(lanes), b.getInt32(0)); }

Value *LaneSets::isAll(Value *lanes) {
  if (Value *known = knownAll(lanes))
    return known;
  return b.CreateICmpEQ(bits(lanes), b.getInt32(~0u));
}

Value *LaneSets::both(Value *lanes, Value *also) {
  if (!lanes)
    return also;
  Value *both = narrowed(lanes, also);
  Value *first = knownAll(lanes), *second = knownAll(also);
  if (first && second)
    knowAll(both, b.CreateAnd(first, second));
  return both;
}

Value *LaneSets::without(Value *lanes, Value *others) {
  Value *rest = b.CreateNot(others);
  return lanes ? narrowed(lanes, rest) : rest;
}

/// LLVM compares each condition of a long chain with those before it, lane by lane. Where the chain is cut it sees a
/// number that it knows nothing of.
Value *LaneSets::narrowed(Value *lanes, Value *also) {
  constexpr unsigned longest = 16;
  const unsigned length = std::max(chained.lookup(lanes), chained.lookup(also)) + 1;
  Value *both = b.CreateAnd(lanes, also);
  if (length < longest) {
    chained[both] = length;
    return both;
  }
  auto *type = FunctionType::get(b.getInt32Ty(), {b.getInt32Ty()}, false);
  Value *number = b.CreateCall(InlineAsm::get(type, "", "=r,0", false), {bits(both)});
  return b.CreateBitCast(number, both->getType());
}

Leaf LaneSets::bothConditions(Value *left, Value *right) {
  const bool isLeftOne = !left->getType()->isVectorTy(), isRightOne = !right->getType()->isVectorTy();
  if (isLeftOne && isRightOne)
    return b.CreateAnd(left, right);
  Value *first = isLeftOne ? b.CreateVectorSplat(warpLanes, left) : left;
  Value *second = isRightOne ? b.CreateVectorSplat(warpLanes, right) : right;
  if (isLeftOne)
    knowAll(first, left);
  if (isRightOne)
    knowAll(second, right);
  return both(first, second);
}

AllocaInst *LaneSets::make(Value *lanes, const char *name) {
  AllocaInst *set = entryAlloca(b, vectorOf(b.getInt1Ty()), name);
  b.CreateStore(lanes, set);
  return set;
}

void LaneSets::add(AllocaInst *set, Value *lanes) { b.CreateStore(b.CreateOr(in(set), lanes), set); }

void LaneSets::remove(AllocaInst *set, Value *lanes) {
  Value *before = in(set);
  b.CreateStore(b.CreateAnd(before, b.CreateNot(lanes)), set);
}

void LaneSets::keep(AllocaInst *set, Value *lanes) { b.CreateStore(b.CreateAnd(in(set), lanes), set); }

} // namespace treadle::codegen
