// WarpModel: sets of lanes. Whether all lanes are in one is often known from a scalar or two: a guard `i < n` holds for
// the whole warp when it holds for its last lane.
#include "codegen/cpu/warp_model.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace treadle::codegen {

static Value *maskBits(IRBuilder<> &b, Value *lanes) { return b.CreateBitCast(lanes, b.getInt32Ty()); }

Value *WarpModel::isAny(Value *lanes) {
  return e->builder.CreateICmpNE(maskBits(e->builder, lanes), e->builder.getInt32(0));
}

Value *WarpModel::isAll(Value *lanes) {
  if (Value *known = allOf.lookup(lanes))
    return known;
  return e->builder.CreateICmpEQ(maskBits(e->builder, lanes), e->builder.getInt32(~0u));
}

Value *WarpModel::bothLanes(Value *lanes, Value *also) {
  if (!lanes)
    return also;
  Value *both = e->builder.CreateAnd(lanes, also);
  Value *first = allOf.lookup(lanes), *second = allOf.lookup(also);
  if (first && second)
    allOf[both] = e->builder.CreateAnd(first, second);
  return both;
}

/// `left and right`, both evaluated.
Leaf WarpModel::bothConditions(Value *left, const Leaf &right) {
  if (!left->getType()->isVectorTy() && !right.value->getType()->isVectorTy())
    return e->builder.CreateAnd(left, right.value);
  Value *scalar = !left->getType()->isVectorTy() ? left : !right.value->getType()->isVectorTy() ? right.value : nullptr;
  Value *first = spread(Leaf(left)), *second = spread(right);
  if (scalar)
    allOf[left == scalar ? first : second] = scalar;
  return bothLanes(first, second);
}

/// Comparisons of an affine value that cannot wrap between the lanes of a warp hold in every lane when they hold where
/// the value is extreme: at the first or last lane of the first or last run.
void WarpModel::noticeComparison(const Comparison &comparison, const Leaf &result) {
  if (!result.value->getType()->isVectorTy() || comparison.right.isAffine() || !comparison.left.isAffine() ||
      comparison.right.value->getType()->isVectorTy())
    return;
  const Leaf &affine = comparison.left;
  auto *s0 = dyn_cast<ConstantInt>(affine.s0), *s1 = dyn_cast<ConstantInt>(affine.s1);
  const unsigned bits = affine.value->getType()->getIntegerBitWidth();
  const int64_t margin = int64_t(1) << (bits - 2);
  if (!s0 || !s1 || bits < 32 || comparison.leftRange.low < -margin || comparison.leftRange.high > margin)
    return;
  const int64_t step = s0->getSExtValue(), run = s1->getSExtValue();
  if (std::abs(step) > 4096 || std::abs(run) > 4096)
    return;
  const unsigned length = program.runLength;
  const bool wantsLargest = comparison.op == Operation::Lt || comparison.op == Operation::Le;
  auto extreme = [&](int64_t stride, unsigned count) {
    return (stride > 0) == wantsLargest ? stride * int64_t(count - 1) : 0;
  };
  const int64_t offset = extreme(step, length) + extreme(run, warpLanes / length);
  IRBuilder<> &b = e->builder;
  Value *lane = b.CreateAdd(affine.value, ConstantInt::get(affine.value->getType(), uint64_t(offset), true));
  CmpInst::Predicate predicate = comparison.op == Operation::Lt   ? CmpInst::ICMP_SLT
                                 : comparison.op == Operation::Le ? CmpInst::ICMP_SLE
                                 : comparison.op == Operation::Gt ? CmpInst::ICMP_SGT
                                                                  : CmpInst::ICMP_SGE;
  allOf[result.value] = b.CreateICmp(predicate, lane, comparison.right.value);
}

} // namespace treadle::codegen
