// Vectors of 64-bit integers, computed in 32 bits where that suffices.
#include "codegen/narrow_integers.h"

#include "codegen/arithmetic.h"
#include "codegen/emitter.h"
#include "codegen/lane_values.h"
#include "passes/ranges/interval.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace treadle::codegen {

using intervals::fitsInt32;
using intervals::fitsUint32;
using treadle::Type;
using Interval = typed::Interval;

namespace {

bool isVector(const Leaf &leaf) { return leaf.value->getType()->isVectorTy(); }

/// Narrowing other vectors would take as long as the operation.
bool comesNarrow(const Leaf &leaf) { return !isVector(leaf) || isa<Constant>(leaf.value) || isWidened(leaf.value); }

/// A value that was just widened is taken from before that, so that no instruction remains of the widening.
Leaf narrowed(Emitter &e, const Leaf &leaf) {
  auto low = [&](Value *value) -> Value * {
    llvm::Type *word = value->getType()->getWithNewType(e.builder.getInt32Ty());
    if (!isWidened(value))
      return e.builder.CreateTrunc(value, word);
    return e.builder.CreateIntCast(cast<CastInst>(value)->getOperand(0), word, isa<SExtInst>(value));
  };
  return leaf.isAffine() ? Leaf(low(leaf.value), low(leaf.s0), low(leaf.s1)) : Leaf(low(leaf.value));
}

/// Operations whose low result bits depend only on their operands' low bits.
bool isOfLowBits(Operation op) {
  switch (op) {
  case Operation::Add:
  case Operation::Sub:
  case Operation::Mul:
  case Operation::Neg:
  case Operation::BitAnd:
  case Operation::BitOr:
  case Operation::BitXor:
  case Operation::Invert:
  case Operation::Shl:
    return true;
  default:
    return false;
  }
}

/// Operations whose operands must fit as numbers.
bool isOfNumbers(Operation op) {
  return isComparison(op) || op == Operation::Min || op == Operation::Max || op == Operation::Shr ||
         op == Operation::FloorDiv || op == Operation::Mod;
}

/// The ranges of an operation.
struct Bounds {
  SmallVector<Interval, 2> operands;
  Interval result;
  bool isComparison;
  /// uint64 values from 2^63 on, which read as negative.
  bool hasHuge = false;

  bool all(bool (*fits)(Interval)) const { return all_of(operands, fits) && (isComparison || fits(result)); }
};

/// int32 or uint32, whichever yields the same result; null: neither.
/// Where only low bits matter, operands may be cut and the result alone must fit; elsewhere all must. The count of a
/// shift must be below 32, as the narrow shift takes it modulo 32 and the wide one modulo 64.
const Type *wordOf(Operation op, const Bounds &bounds) {
  const bool isShift = op == Operation::Shl || op == Operation::Shr;
  if (isShift && (bounds.operands[1].low < 0 || bounds.operands[1].high > 31))
    return nullptr;
  if (op == Operation::Popc)
    return fitsUint32(bounds.operands[0]) ? types::uint32() : nullptr;
  if (isOfLowBits(op))
    return fitsInt32(bounds.result) ? types::int32() : fitsUint32(bounds.result) ? types::uint32() : nullptr;
  if (!isOfNumbers(op) || bounds.hasHuge)
    return nullptr;
  // A quotient of such numbers is no larger than they are; division by 0 yields any value.
  if ((op == Operation::FloorDiv || op == Operation::Mod) && all_of(bounds.operands, fitsUint32))
    return types::uint32();
  return bounds.all(fitsInt32) ? types::int32() : bounds.all(fitsUint32) ? types::uint32() : nullptr;
}

bool isLong(const Type *type) { return type->isInt() && !type->isBool() && type->bits() == 64; }

} // namespace

/// The result is widened again at once: if its only user is narrow as well, that one takes the value from before, and
/// LLVM drops the widening.
std::optional<Leaf> emitNarrow(Emitter &e, const typed::OperationExpr &expression, ArrayRef<Lanes> operands) {
  if (!all_of(expression.operands, [](const typed::Expr *operand) { return isLong(operand->type); }) ||
      !any_of(operands, [](const Lanes &lanes) { return isVector(lanes[0]); }) ||
      !all_of(operands, [](const Lanes &lanes) { return comesNarrow(lanes[0]); }))
    return std::nullopt;
  Bounds bounds{{}, e.range(expression), isComparison(expression.op)};
  for (const typed::Expr *operand : expression.operands) {
    bounds.operands.push_back(e.range(*operand));
    bounds.hasHuge |= !operand->type->isSigned() && bounds.operands.back().low < 0;
  }
  const Type *word = bounds.isComparison || isLong(expression.type) ? wordOf(expression.op, bounds) : nullptr;
  if (!word)
    return std::nullopt;
  SmallVector<Lanes, 2> words;
  for (const Lanes &lanes : operands)
    words.push_back({narrowed(e, lanes[0])});
  const SmallVector<const Type *, 2> types(words.size(), word);
  const Leaf result = e.operation(expression.op, bounds.isComparison ? expression.type : word, types, words)[0];
  // A bool has no width to get back.
  if (bounds.isComparison)
    return result;
  Value *vector = e.model.splat(result);
  llvm::Type *wide = vector->getType()->getWithNewType(e.builder.getInt64Ty());
  return Leaf(e.builder.CreateIntCast(vector, wide, word->isSigned()));
}

} // namespace treadle::codegen
