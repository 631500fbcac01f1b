// 64-bit integers that are known to fit 32 bits: GPUs have 32-bit ALUs and take several steps for more.
#include "codegen/arithmetic.h"
#include "codegen/ptx/ptx_lane_model.h"
#include "passes/ranges/interval.h"

#include "llvm/IR/Module.h"

#include <algorithm>

namespace treadle::codegen::ptx {

using namespace llvm;
using intervals::fitsInt32;
using intervals::fitsUint32;
using treadle::Type;

namespace {

using Interval = typed::Interval;
using Wide = __int128;

bool isLong(const Leaf &leaf) { return leaf.value->getType()->isIntegerTy(64); }

/// The interpretations of the operands (signed, unsigned) in which an operation does not overflow.
struct Exactness {
  bool isUnsigned, isSigned;
};

/// The flags tell LLVM what the ranges have shown, which it needs to fold extensions and to count a loop's iterations.
Value *arithmetic(IRBuilder<> &b, Operation op, std::pair<Value *, Value *> operands, Exactness exact) {
  const auto [x, y] = operands;
  if (op == Operation::Add)
    return b.CreateAdd(x, y, "", exact.isUnsigned, exact.isSigned);
  if (op == Operation::Sub)
    return b.CreateSub(x, y, "", exact.isUnsigned, exact.isSigned);
  return b.CreateMul(x, y, "", exact.isUnsigned, exact.isSigned);
}

/// A bound beyond int64 excludes nothing, and its nearest number excludes as little.
Interval clamped(Wide low, Wide high) {
  constexpr Wide least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  return {int64_t(std::clamp(low, least, most)), int64_t(std::clamp(high, least, most))};
}

/// The bounds of an operation's operands if its result is in `wanted`.
struct Operands {
  Interval left, right;
};
/// If the operation itself cannot wrap in 64 bits, a bound of its result is one of each operand, given the other. If it
/// may wrap, nothing follows, and the known bounds are all there is.
Operands operandsFor(const typed::OperationExpr &expression, Operands known, Interval wanted) {
  const auto [a, b] = known;
  const Wide low = wanted.low, high = wanted.high;
  if (expression.op == Operation::Mul) {
    // By a positive constant: for other factors the bounds of a quotient depend on signs.
    const bool isExact = b.low == b.high && b.low > 0 && intervals::contains({INT64_MIN / b.low, INT64_MAX / b.low}, a);
    return isExact ? Operands{intervals::meet(a, {wanted.low / b.low, wanted.high / b.low}), b} : known;
  }
  if (!intervals::isExact(expression.op, expression.type, a, b))
    return known;
  if (expression.op == Operation::Add)
    return {intervals::meet(a, clamped(low - b.high, high - b.low)),
            intervals::meet(b, clamped(low - a.high, high - a.low))};
  return {intervals::meet(a, clamped(low + b.low, high + b.high)),
          intervals::meet(b, clamped(a.low - high, a.high - low))};
}

} // namespace

/// Both operands must fit the same word: one that fits int32 only and one that fits uint32 only are compared in 64
/// bits.
std::optional<Leaf> PtxLaneModel::compare(const Comparison &comparison) {
  const auto &[op, left, right, leftRange, rightRange] = comparison;
  const bool isSigned = fitsInt32(leftRange) && fitsInt32(rightRange);
  if (!isLong(left) || (!isSigned && !(fitsUint32(leftRange) && fitsUint32(rightRange))))
    return std::nullopt;
  const Type *word = isSigned ? types::int32() : types::uint32();
  IRBuilder<> &b = e->builder;
  return Leaf(Arithmetic(b, *this).compareIntegers(op, word, b.CreateTrunc(left.value, b.getInt32Ty()), word,
                                                   b.CreateTrunc(right.value, b.getInt32Ty())));
}

/// The word is widened at once to what the tree expects; if its users are narrow as well, LLVM drops that.
std::optional<Leaf> PtxLaneModel::compute(const Computation &computation) {
  const auto &[op, left, right, leftRange, rightRange, range] = computation;
  const bool isSigned = fitsInt32(leftRange) && fitsInt32(rightRange) && fitsInt32(range);
  const bool isUnsigned = fitsUint32(leftRange) && fitsUint32(rightRange) && fitsUint32(range);
  if (!isLong(left) || (!isSigned && !isUnsigned))
    return std::nullopt;
  IRBuilder<> &b = e->builder;
  Value *x = b.CreateTrunc(left.value, b.getInt32Ty()), *y = b.CreateTrunc(right.value, b.getInt32Ty());
  Value *word = arithmetic(b, op, {x, y}, {isUnsigned, isSigned});
  llvm::Type *type = left.value->getType();
  return Leaf(range.isNonNegative() ? b.CreateZExt(word, type, "", /*IsNonNeg=*/fitsInt32(range))
                                    : b.CreateSExt(word, type));
}

/// An index that is used is within the bounds of its array, and offsets fit 32 bits: the range that is asked for here
/// follows from the use and not from the expression.
std::optional<Leaf> PtxLaneModel::index(const typed::Expr &expression) {
  const Type *type = expression.type;
  // An expression that fits without that promise is computed in 32 bits already.
  if (!type->isInt() || type->bits() != 64 || fitsInt32(e->range(expression)))
    return std::nullopt;
  constexpr int64_t largest = std::numeric_limits<int32_t>::max();
  Value *word = indexWord(expression, {type->isSigned() ? -largest : 0, largest});
  return Leaf(e->builder.CreateSExt(word, e->builder.getInt64Ty()));
}

/// The low 32 bits of a 64-bit expression whose value is in `wanted` wherever it is used: then its operands have
/// bounds, too, within which they do not overflow.
Value *PtxLaneModel::indexWord(const typed::Expr &expression, Interval wanted) {
  IRBuilder<> &b = e->builder;
  const bool isGridId = e->options.gridIds && e->options.gridIds->replaced.contains(&expression);
  if (expression.kind == typed::ExprKind::Operation && !isGridId && !fitsInt32(e->range(expression))) {
    const auto &operation = expression.as<typed::OperationExpr>();
    if (operation.op == Operation::Add || operation.op == Operation::Sub || operation.op == Operation::Mul) {
      const typed::Expr &left = *operation.operands[0], &right = *operation.operands[1];
      const Operands found = operandsFor(operation, {e->range(left), e->range(right)}, wanted);
      Value *x = indexWord(left, found.left), *y = indexWord(right, found.right);
      const bool fits = fitsInt32(wanted) && fitsInt32(found.left) && fitsInt32(found.right);
      return arithmetic(b, operation.op, {x, y}, {false, fits});
    }
  }
  return b.CreateTrunc(e->emitLeaf(expression).value, b.getInt32Ty());
}

} // namespace treadle::codegen::ptx
