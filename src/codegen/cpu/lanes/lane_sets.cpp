// LaneSets: sets of lanes. Whether a set is full is often known from a scalar or two: a guard `i < n` holds for the
// whole warp if it holds for its last lane.
#include "codegen/cpu/lanes/lane_sets.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace treadle::codegen {

/// A bit cast from a vector of i1 to a number, which LLVM makes a few instructions of.
Value *bitsOf(IRBuilder<> &b, Value *lanes) {
  const unsigned count = cast<FixedVectorType>(lanes->getType())->getNumElements();
  return b.CreateZExt(b.CreateBitCast(lanes, b.getIntNTy(count)), b.getInt32Ty());
}

/// At the beginning of the entry block: memory made in a loop would grow the stack with each iteration, and LLVM
/// promotes only what is there to registers.
std::optional<int64_t> constantOf(const Value *value) {
  const auto *number = dyn_cast_or_null<ConstantInt>(value);
  return number ? std::optional(number->getSExtValue()) : std::nullopt;
}

AllocaInst *entryAlloca(IRBuilder<> &b, llvm::Type *type, const char *name) {
  BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> at(&entry, entry.begin());
  return at.CreateAlloca(type, nullptr, name);
}

Value *LaneSets::all() const { return Constant::getAllOnesValue(FixedVectorType::get(b.getInt1Ty(), count)); }
Value *LaneSets::none() const { return Constant::getNullValue(FixedVectorType::get(b.getInt1Ty(), count)); }

/// LLVM would insert the bits into a vector one by one, 90 instructions in all. Here each lane gets the byte with its
/// bit from a copy of the number in its 16-byte block, within which one instruction shuffles bytes.
Value *LaneSets::of(Value *bits) {
  if (hasMaskRegisters)
    return b.CreateBitCast(b.CreateTrunc(bits, b.getIntNTy(count)), FixedVectorType::get(b.getInt1Ty(), count));
  auto *bytes = FixedVectorType::get(b.getInt8Ty(), count);
  SmallVector<int, warpLanes> which;
  SmallVector<Constant *, warpLanes> bit;
  for (unsigned lane = 0; lane < count; ++lane) {
    which.push_back(int(lane / 16 * 16 + lane / 8));
    bit.push_back(b.getInt8(uint8_t(1 << lane % 8)));
  }
  Value *copies = b.CreateBitCast(b.CreateVectorSplat(count / 4, bits), bytes);
  Value *own = b.CreateAnd(b.CreateShuffleVector(copies, which), ConstantVector::get(bit));
  return b.CreateICmpNE(own, Constant::getNullValue(bytes));
}

/// In 8 bits, which hold all lane numbers: with AVX2, one register for the warp. Full exactly if as many threads remain
/// as lanes.
Value *LaneSets::below(Value *remaining) {
  SmallVector<Constant *, warpLanes> numbers;
  for (unsigned lane = 0; lane < count; ++lane)
    numbers.push_back(b.getInt8(uint8_t(lane)));
  Value *present = b.CreateTrunc(b.CreateBinaryIntrinsic(Intrinsic::umin, remaining, b.getInt64(count)), b.getInt8Ty());
  Value *lanes = b.CreateICmpULT(ConstantVector::get(numbers), b.CreateVectorSplat(count, present));
  knowAll(lanes, b.CreateICmpUGE(remaining, b.getInt64(count)));
  return lanes;
}

Value *LaneSets::isAny(Value *lanes) { return b.CreateICmpNE(bitsOf(b, lanes), b.getInt32(0)); }

/// A set about which something is known answers with a scalar that is there already.
Value *LaneSets::isAll(Value *lanes) {
  if (Value *known = knownAll(lanes))
    return known;
  return b.CreateICmpEQ(bitsOf(b, lanes), bitsOf(b, all()));
}

/// What is known of two sets is known of their intersection: it is full if both are.
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

/// LLVM compares each condition of a long chain with those before it, lane by lane. Cutting the chain makes the prefix
/// opaque to it.
Value *LaneSets::narrowed(Value *lanes, Value *also) {
  constexpr unsigned longest = 16;
  const unsigned length = std::max(chained.lookup(lanes), chained.lookup(also)) + 1;
  Value *both = b.CreateAnd(lanes, also);
  if (length < longest) {
    chained[both] = length;
    return both;
  }
  auto *type = FunctionType::get(b.getInt32Ty(), {b.getInt32Ty()}, false);
  Value *number = b.CreateCall(InlineAsm::get(type, "", "=r,0", false), {bitsOf(b, both)});
  return of(number);
}

/// A condition that all lanes share tells by itself whether its set is full, which both() then knows of the result.
Leaf LaneSets::bothConditions(Value *left, Value *right) {
  const bool isLeftOne = !left->getType()->isVectorTy(), isRightOne = !right->getType()->isVectorTy();
  if (isLeftOne && isRightOne)
    return b.CreateAnd(left, right);
  Value *first = isLeftOne ? b.CreateVectorSplat(count, left) : left;
  Value *second = isRightOne ? b.CreateVectorSplat(count, right) : right;
  if (isLeftOne)
    knowAll(first, left);
  if (isRightOne)
    knowAll(second, right);
  return both(first, second);
}

AllocaInst *LaneSets::make(Value *lanes, const char *name) {
  AllocaInst *set = entryAlloca(b, lanes->getType(), name);
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
