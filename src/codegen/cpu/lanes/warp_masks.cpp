// WarpLanes: comparisons, which yield sets of lanes. Whether they hold in all lanes is often known from a scalar or
// two: a guard `i < n` holds for the whole warp if it holds for its last lane.
#include "codegen/cpu/lanes/warp_lanes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace treadle::codegen {

namespace {

/// A comparison of an affine value with a uniform one: `base` plus a constant offset per lane.
struct OffsetComparison {
  CmpInst::Predicate predicate;
  Value *base, *limit;
  int64_t step, run;
};

/// Lane offsets below this can be compared in 16 bits.
constexpr int64_t maxOffset = 1 << 14;

CmpInst::Predicate predicateOf(Operation op) {
  switch (op) {
  case Operation::Eq:
    return CmpInst::ICMP_EQ;
  case Operation::Ne:
    return CmpInst::ICMP_NE;
  case Operation::Lt:
    return CmpInst::ICMP_SLT;
  case Operation::Le:
    return CmpInst::ICMP_SLE;
  case Operation::Gt:
    return CmpInst::ICMP_SGT;
  default:
    return CmpInst::ICMP_SGE;
  }
}

/// `affine` compared with `limit`, if its lanes' values are close to each other.
/// The limits on step and run keep the sum of both, over all lanes, below `maxOffset`.
std::optional<OffsetComparison> closeComparison(CmpInst::Predicate predicate, const Leaf &affine, Value *limit) {
  auto *s0 = dyn_cast<ConstantInt>(affine.s0), *s1 = dyn_cast<ConstantInt>(affine.s1);
  if (!s0 || !s1)
    return std::nullopt;
  const int64_t step = s0->getSExtValue(), run = s1->getSExtValue();
  if (std::abs(step) >= maxOffset / warpLanes / 2 || std::abs(run) >= maxOffset / warpLanes / 2)
    return std::nullopt;
  return OffsetComparison{predicate, affine.value, limit, step, run};
}

/// Also requires that the affine side does not wrap between the lanes of a warp.
std::optional<OffsetComparison> offsetComparison(const LaneModel::Comparison &comparison) {
  const bool isSwapped = comparison.right.isAffine();
  const Leaf &affine = isSwapped ? comparison.right : comparison.left;
  const Leaf &limit = isSwapped ? comparison.left : comparison.right;
  const typed::Interval range = isSwapped ? comparison.rightRange : comparison.leftRange;
  if (!affine.isAffine() || !isUniform(limit))
    return std::nullopt;
  const unsigned bits = affine.value->getType()->getIntegerBitWidth();
  const int64_t margin = int64_t(1) << (bits - 2);
  if (bits < 32 || range.low < -margin || range.high > margin)
    return std::nullopt;
  CmpInst::Predicate predicate = predicateOf(comparison.op);
  if (isSwapped)
    predicate = CmpInst::getSwappedPredicate(predicate);
  return closeComparison(predicate, affine, limit.value);
}

/// As constants of 16 bits: one register, or two with AVX2, for the whole warp.
Constant *laneOffsets(IRBuilder<> &b, int64_t step, int64_t run, const WarpSettings &settings) {
  const unsigned runLength = settings.runLength;
  SmallVector<Constant *, warpLanes> offsets;
  for (unsigned lane = 0; lane < settings.lanes; ++lane)
    offsets.push_back(b.getInt16(uint16_t(step * int64_t(lane % runLength) + run * int64_t(lane / runLength))));
  return ConstantVector::get(offsets);
}

/// Compares the lanes' offsets, which are constants, with the distance from the base to the limit. 16 bits suffice: a
/// distance beyond all offsets may be clamped.
Value *compareOffsets(IRBuilder<> &b, const OffsetComparison &found, const WarpSettings &settings) {
  llvm::Type *type = found.base->getType();
  auto bound = [&](int64_t value) { return ConstantInt::get(type, uint64_t(value), true); };
  Value *distance = b.CreateBinaryIntrinsic(Intrinsic::ssub_sat, found.limit, found.base);
  distance = b.CreateBinaryIntrinsic(Intrinsic::smin, distance, bound(2 * maxOffset - 1));
  distance = b.CreateBinaryIntrinsic(Intrinsic::smax, distance, bound(-2 * maxOffset));
  distance = b.CreateTrunc(distance, b.getInt16Ty());
  return b.CreateICmp(found.predicate, laneOffsets(b, found.step, found.run, settings),
                      b.CreateVectorSplat(settings.lanes, distance));
}

/// The value of the lane where it is the largest, or the smallest.
Value *extremeLane(IRBuilder<> &b, const OffsetComparison &found, const WarpSettings &settings, bool isLargest) {
  auto extreme = [&](int64_t stride, unsigned count) {
    return (stride > 0) == isLargest ? stride * int64_t(count - 1) : 0;
  };
  const unsigned length = settings.runLength;
  const int64_t offset = extreme(found.step, length) + extreme(found.run, settings.lanes / length);
  return b.CreateAdd(found.base, ConstantInt::get(found.base->getType(), uint64_t(offset), true));
}

} // namespace

/// The lanes whose value exceeds lane 0's by less than an unsigned distance; null if their offsets are unknown, not
/// positive, or large.
Value *WarpLanes::lanesNearer(const Leaf &affine, Value *distance) {
  IRBuilder<> &b = e->builder;
  auto *s0 = dyn_cast<ConstantInt>(affine.s0), *s1 = dyn_cast<ConstantInt>(affine.s1);
  auto isSmall = [](ConstantInt *stride) {
    return stride && !stride->isNegative() && stride->getValue().ult(maxOffset / warpLanes / 2);
  };
  if (!isSmall(s0) || !isSmall(s1))
    return nullptr;
  const uint64_t step = s0->getZExtValue(), run = s1->getZExtValue(), length = program.settings.runLength;
  llvm::Type *type = distance->getType();
  Value *bound = b.CreateBinaryIntrinsic(Intrinsic::umin, distance, ConstantInt::get(type, maxOffset));
  Value *lanes = b.CreateICmpULT(laneOffsets(b, int64_t(step), int64_t(run), program.settings),
                                 b.CreateVectorSplat(laneCount(), b.CreateTrunc(bound, b.getInt16Ty())));
  const uint64_t last = step * (length - 1) + run * (laneCount() / length - 1);
  sets->knowAll(lanes, b.CreateICmpUGT(distance, ConstantInt::get(type, last)));
  return lanes;
}

/// A comparison of an affine value that cannot wrap holds in every lane if it holds where the value is extreme: at the
/// first or last lane of the first or last run.
std::optional<Leaf> WarpLanes::compare(const Comparison &comparison) {
  if (std::optional<Leaf> edge = compareWithEdge(comparison))
    return edge;
  const std::optional<OffsetComparison> found = offsetComparison(comparison);
  if (!found)
    return std::nullopt;
  IRBuilder<> &b = e->builder;
  Value *lanes = compareOffsets(b, *found, program.settings);
  if (CmpInst::isEquality(found->predicate))
    return Leaf(lanes);
  const bool wantsLargest = CmpInst::ICMP_SLT == found->predicate || CmpInst::ICMP_SLE == found->predicate;
  Value *lane = extremeLane(b, *found, program.settings, wantsLargest);
  sets->knowAll(lanes, b.CreateICmp(found->predicate, lane, found->limit));
  return Leaf(lanes);
}

/// Inactive lanes access nothing: `x[i - 1] if i > 0` has no negative index. An index that wraps between two lanes is
/// out of bounds on one side of the wrap, so any result is valid there.
LaneModel::Signs WarpLanes::signsOf(const Leaf &index) {
  IRBuilder<> &b = e->builder;
  Value *zero = ConstantInt::get(index.value->getType(), 0);
  const std::optional<OffsetComparison> found = closeComparison(CmpInst::ICMP_SLT, index, zero);
  if (found && !mask) {
    Value *some = b.CreateICmpSLT(extremeLane(b, *found, program.settings, false), zero);
    return {some, b.CreateAnd(some, b.CreateICmpSGE(extremeLane(b, *found, program.settings, true), zero))};
  }
  Value *vector = found ? nullptr : splat(index);
  Value *negatives = found ? compareOffsets(b, *found, program.settings)
                           : b.CreateICmpSLT(vector, Constant::getNullValue(vector->getType()));
  Value *some = sets->isAny(mask ? b.CreateAnd(mask, negatives) : negatives);
  Value *others = b.CreateNot(negatives);
  return {some, b.CreateAnd(some, sets->isAny(mask ? b.CreateAnd(mask, others) : others))};
}

} // namespace treadle::codegen
