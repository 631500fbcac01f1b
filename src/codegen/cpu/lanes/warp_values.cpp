// WarpLanes: leaves as vectors, division, math.
#include "border/compile_options.h"
#include "codegen/cpu/lanes/vector_pieces.h"
#include "codegen/cpu/lanes/warp_lanes.h"

#include "codegen/arithmetic.h"
#include "passes/analyses/ordered_values.h"
#include "support/error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

Value *WarpLanes::laneNumbers(unsigned bits) {
  SmallVector<Constant *, warpLanes> numbers;
  for (unsigned lane = 0; lane < laneCount(); ++lane)
    numbers.push_back(ConstantInt::get(e->builder.getIntNTy(bits), lane));
  return ConstantVector::get(numbers);
}

namespace {

/// s0 * (lane % R) + s1 * (lane / R) for every lane.
Value *laneOffsets(Emitter &e, const Leaf &leaf, const WarpSettings &settings) {
  const auto [runLength, lanes] = std::pair(settings.runLength, settings.lanes);
  llvm::Type *scalar = leaf.s0->getType();
  SmallVector<Constant *, warpLanes> withinRun, run;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    withinRun.push_back(ConstantInt::get(scalar, lane % runLength));
    run.push_back(ConstantInt::get(scalar, lane / runLength));
  }
  auto scaled = [&](Value *stride, ArrayRef<Constant *> steps) {
    return e.builder.CreateMul(e.builder.CreateVectorSplat(settings.lanes, stride), ConstantVector::get(steps));
  };
  Value *offsets = scaled(leaf.s0, withinRun);
  return runLength == lanes ? offsets : e.builder.CreateAdd(offsets, scaled(leaf.s1, run));
}

} // namespace

/// Pointers by `getelementptr` with a vector of offsets, which keeps the one base visible to gathers.
Value *WarpLanes::splat(const Leaf &leaf) {
  if (!leaf.isAffine())
    return leaf.value->getType()->isVectorTy() ? leaf.value : e->builder.CreateVectorSplat(laneCount(), leaf.value);
  Value *offsets = laneOffsets(*e, leaf, program.settings);
  if (leaf.value->getType()->isPointerTy())
    return e->builder.CreateGEP(e->builder.getInt8Ty(), leaf.value, offsets);
  return e->builder.CreateAdd(e->builder.CreateVectorSplat(laneCount(), leaf.value), offsets);
}

/// A scalar takes the vector routine, too: another one might round differently, and a value must not depend on its
/// shape. The attributes let LLVM drop and merge calls as it does instructions.
Value *WarpLanes::callVector(const VectorRoutine &routine, LanesRef operands) {
  IRBuilder<> &b = e->builder;
  const bool isScalar = !operands[0]->getType()->isVectorTy();
  llvm::Type *piece = FixedVectorType::get(operands[0]->getType()->getScalarType(), routine.lanes);
  auto callee = e->module.getOrInsertFunction(
      routine.symbol, FunctionType::get(piece, SmallVector<llvm::Type *, 2>(operands.size(), piece), false));
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->addFnAttr(Attribute::WillReturn);
  SmallVector<Value *, warpLanes> results;
  for (unsigned first = 0; first < (isScalar ? routine.lanes : laneCount()); first += routine.lanes) {
    SmallVector<Value *, 2> pieces;
    for (Value *operand : operands)
      pieces.push_back(isScalar ? b.CreateVectorSplat(routine.lanes, operand)
                                : pieceOf(b, operand, first, routine.lanes));
    results.push_back(b.CreateCall(callee, pieces));
  }
  return isScalar ? b.CreateExtractElement(results[0], uint64_t(0)) : concatenated(b, results);
}

namespace {

/// LLVM multiplies by a reciprocal in place of a constant divisor, for which 64 bits have no vector instructions.
bool isNativeDivisor(Value *divisor, unsigned bits) {
  auto *constant = dyn_cast<Constant>(divisor);
  auto *number = constant ? dyn_cast_or_null<ConstantInt>(constant->getSplatValue()) : nullptr;
  return number && !number->isZero() && (number->getValue().isPowerOf2() || bits <= 32);
}

} // namespace

/// x86 divides scalars only; vectors call a routine of ours, of 32 bits at least.
Value *WarpLanes::divide(Value *left, Value *right, bool isSigned, bool isRemainder) {
  IRBuilder<> &b = e->builder;
  const unsigned bits = left->getType()->getScalarSizeInBits();
  if (!left->getType()->isVectorTy() || isNativeDivisor(right, bits)) {
    if (isRemainder)
      return isSigned ? b.CreateSRem(left, right) : b.CreateURem(left, right);
    return isSigned ? b.CreateSDiv(left, right) : b.CreateUDiv(left, right);
  }
  // Cut again without loss: a quotient is no larger than the dividend, a remainder no larger than the divisor.
  if (bits < 32) {
    llvm::Type *wide = vectorOf(b.getInt32Ty());
    Value *result =
        divide(b.CreateIntCast(left, wide, isSigned), b.CreateIntCast(right, wide, isSigned), isSigned, isRemainder);
    return b.CreateTrunc(result, left->getType());
  }
  VectorRequest request{Operation::FloorDiv};
  request.element = isSigned ? VectorRequest::Element::Signed : VectorRequest::Element::Unsigned;
  request.bits = bits;
  request.isa = program.settings.isa;
  return callVector(vectorDivision(request, isRemainder), {left, right});
}

/// By the reciprocal, which is computed once. (x + 0.5) / y is at least 0.5 / y away from every integer, and the
/// computed value differs from it by less than 2^-19 / y for x below 2^32.
Value *WarpLanes::divideByUniform(Value *left, Value *right) {
  IRBuilder<> &b = e->builder;
  if (!left->getType()->getScalarType()->isIntegerTy(32))
    return nullptr;
  // Approximate reciprocals and fused operations would void the bound above.
  IRBuilderBase::FastMathFlagGuard exactly(b);
  b.clearFastMathFlags();
  llvm::Type *wide = vectorOf(b.getDoubleTy());
  Value *reciprocal = b.CreateFDiv(ConstantFP::get(b.getDoubleTy(), 1), b.CreateUIToFP(right, b.getDoubleTy()));
  Value *above = b.CreateFAdd(b.CreateUIToFP(left, wide), ConstantFP::get(wide, 0.5));
  Value *quotient = b.CreateFMul(above, b.CreateVectorSplat(laneCount(), reciprocal));
  return b.CreateFPToUI(quotient, left->getType());
}

/// Of the first active lane. If there is none, the value is never used.
Leaf WarpLanes::broadcastFirst(const Leaf &value) {
  if (isUniform(value))
    return value;
  IRBuilder<> &b = e->builder;
  Value *lane = b.getInt32(0);
  if (mask)
    lane = b.CreateAnd(b.CreateBinaryIntrinsic(Intrinsic::cttz, bitsOf(b, mask), b.getFalse()),
                       ConstantInt::get(bitsOf(b, mask)->getType(), laneCount() - 1));
  if (!value.isAffine())
    return Leaf(b.CreateExtractElement(value.value, lane));
  if (!mask)
    return Leaf(value.value);
  llvm::Type *type = value.value->getType();
  Value *number = b.CreateZExtOrTrunc(lane, type), *length = ConstantInt::get(type, program.settings.runLength);
  Value *alongRun = b.CreateMul(b.CreateURem(number, length), value.s0);
  return Leaf(b.CreateAdd(b.CreateAdd(value.value, alongRun), b.CreateMul(b.CreateUDiv(number, length), value.s1)));
}

namespace {

/// SLEEF's lgamma overflows early: at the upper end of its range it is 2 * lgamma(x / 2) + x * log(2), to all digits.
Value *lgammaByHalf(IRBuilder<> &b, Value *x, function_ref<Value *(Value *)> lgamma) {
  llvm::Type *type = x->getType();
  const auto number = [&](double value) { return ConstantFP::get(type, value); };
  Value *isLarge = b.CreateFCmpOGT(x, number(type->getScalarSizeInBits() == 32 ? 0x1p120 : 0x1p1000));
  Value *result = lgamma(b.CreateSelect(isLarge, b.CreateFMul(x, number(0.5)), x));
  Value *doubled = b.CreateFAdd(b.CreateFMul(result, number(2)), b.CreateFMul(x, number(0x1.62e42fefa39efp-1)));
  return b.CreateSelect(isLarge, doubled, result);
}

/// SLEEF's float64 tgamma is wrong where tgamma of the negated argument overflows: there it is tgamma(x + 16) over
/// sixteen factors. All sums are exact where results are not 0.
Value *tgammaByFactors(IRBuilder<> &b, Value *x, function_ref<Value *(Value *)> tgamma) {
  const auto number = [&](double value) { return ConstantFP::get(x->getType(), value); };
  Value *isLow = b.CreateFCmpOLT(x, number(-168));
  SmallVector<Value *, 16> factors;
  for (unsigned step = 0; step < 16; ++step)
    factors.push_back(b.CreateFAdd(x, number(step)));
  for (size_t count = factors.size(); count > 1; count /= 2)
    for (size_t i = 0; i < count / 2; ++i)
      factors[i] = b.CreateFMul(factors[2 * i], factors[2 * i + 1]);
  Value *result = tgamma(b.CreateSelect(isLow, b.CreateFAdd(x, number(16)), x));
  return b.CreateFDiv(result, b.CreateSelect(isLow, factors[0], number(1)));
}

} // namespace

Value *WarpLanes::math(Operation op, LanesRef operands) {
  VectorRequest request{op};
  request.bits = operands[0]->getType()->getScalarSizeInBits();
  request.isa = program.settings.isa;
  request.fastMath = program.analysis.options.fastMath;
  const std::optional<VectorRoutine> routine = vectorRoutine(request);
  TREADLE_CHECK(routine.has_value());
  const auto call = [&](Value *operand) { return callVector(*routine, {operand}); };
  if (op == Operation::Lgamma)
    return lgammaByHalf(e->builder, operands[0], call);
  if (op == Operation::Tgamma && request.bits == 64)
    return tgammaByFactors(e->builder, operands[0], call);
  return callVector(*routine, operands);
}

Value *WarpLanes::splatIfAffine(const Leaf &leaf) { return leaf.isAffine() ? splat(leaf) : leaf.value; }

/// Affine leaves become vectors, as phis of bases and strides would hide constant strides. Each is made at the end of
/// its block, before the branch that is there already.
Lanes WarpLanes::mergeLanes(ArrayRef<std::pair<BasicBlock *, Lanes>> ends) {
  Lanes result;
  BasicBlock *here = e->builder.GetInsertBlock();
  for (unsigned leaf = 0; leaf < ends[0].second.size(); ++leaf) {
    bool isScalar = true;
    for (const auto &[block, lanes] : ends)
      isScalar &= isUniform(lanes[leaf]);
    SmallVector<Value *, 2> values;
    for (const auto &[block, lanes] : ends) {
      e->builder.SetInsertPoint(block->getTerminator());
      values.push_back(isScalar ? lanes[leaf].value : splat(lanes[leaf]));
    }
    e->builder.SetInsertPoint(here);
    PHINode *phi = e->builder.CreatePHI(values[0]->getType(), unsigned(ends.size()));
    for (unsigned i = 0; i < ends.size(); ++i)
      phi->addIncoming(values[i], ends[i].first);
    result.push_back(phi);
  }
  return result;
}

/// Stores the members in a structure.
Value *WarpLanes::inMemory(ArrayRef<Value *> members) {
  SmallVector<llvm::Type *, 4> types;
  for (Value *member : members)
    types.push_back(member->getType());
  StructType *type = StructType::get(e->module.getContext(), types);
  AllocaInst *place = entryAlloca(type, "call");
  for (unsigned i = 0; i < members.size(); ++i)
    e->builder.CreateStore(members[i], e->builder.CreateStructGEP(type, place, i));
  return place;
}

bool WarpLanes::isOrdered(const typed::Expr &value) {
  return treadle::isOrdered(value, program.orderedSlotsOf(*e->frame->function));
}

} // namespace treadle::codegen
