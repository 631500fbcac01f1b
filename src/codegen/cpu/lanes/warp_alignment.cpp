// WarpLanes: values that begin at a multiple of the number of lanes in a warp's first lane, as threadIdx.x does if rows
// of the block consist of whole warps, or there is one row, and as a position in the grid does if blockDim.x is such a
// multiple. `tid < 64`, `tid // 32` and `tid >> 5` are then uniform across the warp.
#include "codegen/cpu/lanes/warp_lanes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace treadle::codegen {

/// By the form of the expression. Sums and products that wrap keep the low bits that this is about.
bool isMultipleOfWarp(Value *value, unsigned lanes) {
  const unsigned zeros = Log2_32(lanes);
  Value *x, *y;
  const APInt *constant;
  if (match(value, m_APInt(constant)))
    return constant->countr_zero() >= zeros;
  if (match(value, m_Shl(m_Value(), m_APInt(constant))) && constant->uge(zeros))
    return true;
  if (match(value, m_ZExtOrSExt(m_Value(x))) || match(value, m_Trunc(m_Value(x))))
    return isMultipleOfWarp(x, lanes);
  if (match(value, m_Mul(m_Value(x), m_Value(y))))
    return isMultipleOfWarp(x, lanes) || isMultipleOfWarp(y, lanes);
  if (match(value, m_Add(m_Value(x), m_Value(y))) || match(value, m_Sub(m_Value(x), m_Value(y))) ||
      match(value, m_URem(m_Value(x), m_Value(y))))
    return isMultipleOfWarp(x, lanes) && isMultipleOfWarp(y, lanes);
  return false;
}

/// The shifts change nothing, as the caller knows that the low bits are 0; they are what isMultipleOfWarp() finds, and
/// LLVM as well. Where runs are shorter nothing asks for it.
Value *WarpLanes::asMultipleOfWarp(Value *value) {
  const unsigned zeros = Log2_32(laneCount());
  return hasWholeRuns() ? e->builder.CreateShl(e->builder.CreateLShr(value, zeros), zeros) : value;
}

/// A multiple of the number of lanes in lane 0, incremented by one in each following lane.
bool WarpLanes::isWarpRange(const Leaf &leaf) const {
  auto *stride = leaf.isAffine() ? dyn_cast<ConstantInt>(leaf.s0) : nullptr;
  return stride && stride->isOne() && hasWholeRuns() && leaf.value->getType()->isIntegerTy() &&
         isMultipleOfWarp(leaf.value, laneCount());
}

/// A warp does not reach over a multiple of the divisor: all its lanes have one quotient, and remainders that count up
/// with the lanes.
std::optional<Leaf> WarpLanes::divideByConstant(Operation op, const Leaf &left, const Leaf &right) {
  auto *divisor = dyn_cast<ConstantInt>(right.value);
  if (!divisor || right.isAffine() || divisor->isNegative() || !isWarpRange(left))
    return std::nullopt;
  IRBuilder<> &b = e->builder;
  const APInt &value = divisor->getValue();
  const bool isPower = value.isPowerOf2() && value.uge(laneCount());
  auto within = [&](uint64_t mask) {
    return Leaf(b.CreateAnd(left.value, ConstantInt::get(left.value->getType(), mask)), left.s0, left.s1);
  };
  switch (op) {
  case Operation::FloorDiv:
    return isPower ? std::optional<Leaf>(b.CreateAShr(left.value, value.logBase2())) : std::nullopt;
  case Operation::Shr:
    return value.uge(Log2_32(laneCount())) && value.ult(left.value->getType()->getIntegerBitWidth())
               ? std::optional<Leaf>(b.CreateAShr(left.value, right.value))
               : std::nullopt;
  case Operation::Mod:
    return isPower ? std::optional<Leaf>(within(value.getZExtValue() - 1)) : std::nullopt;
  case Operation::BitAnd:
    return (value + 1).isPowerOf2() && value.uge(laneCount() - 1) ? std::optional<Leaf>(within(value.getZExtValue()))
                                                                  : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// A bound that is a multiple of the number of lanes has the whole warp on one side.
std::optional<Leaf> WarpLanes::compareWithEdge(const Comparison &comparison) {
  auto *limit = dyn_cast<ConstantInt>(comparison.right.value);
  if (!limit || comparison.right.isAffine() || !isWarpRange(comparison.left))
    return std::nullopt;
  IRBuilder<> &b = e->builder;
  const unsigned last = laneCount() - 1;
  const unsigned lanesBelow = unsigned(limit->getValue().extractBitsAsZExtValue(Log2_32(laneCount()), 0));
  Value *base = comparison.left.value;
  switch (comparison.op) {
  case Operation::Lt:
    return lanesBelow == 0 ? std::optional<Leaf>(b.CreateICmpSLT(base, limit)) : std::nullopt;
  case Operation::Ge:
    return lanesBelow == 0 ? std::optional<Leaf>(b.CreateICmpSGE(base, limit)) : std::nullopt;
  case Operation::Le:
    return lanesBelow == last ? std::optional<Leaf>(b.CreateICmpSLE(base, limit)) : std::nullopt;
  case Operation::Gt:
    return lanesBelow == last ? std::optional<Leaf>(b.CreateICmpSGT(base, limit)) : std::nullopt;
  default:
    return std::nullopt;
  }
}

} // namespace treadle::codegen
