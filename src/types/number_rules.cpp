// NumberRules: promotion under the numba and the cuda-python rules.
#include "types/number_rules.h"

#include "types/number_sets.h"

#include <algorithm>
#include <initializer_list>

namespace treadle {

using namespace number_sets;

namespace {

bool isBitwise(BinaryOperator op) {
  return op == BinaryOperator::And || op == BinaryOperator::Or || op == BinaryOperator::Xor;
}

bool isShift(BinaryOperator op) { return op == BinaryOperator::LShift || op == BinaryOperator::RShift; }

/// Both operands and the result have one type. Two bools are computed as integers, except where bits are combined;
/// float16 as float32, which rounds sums, products and quotients to the same numbers.
OperationTypes same(const Type *type, bool onBits = false) {
  if (!type)
    return {};
  if (type == types::float16())
    return {type, type, nullptr, types::float32()};
  return {type, type, nullptr, type->isBool() && !onBits ? types::int32() : nullptr};
}

} // namespace

// Numba.

namespace {

/// The wider operand's type; the signed one if both have the same width.
const Type *numbaBitwise(const Type *left, const Type *right) {
  if (left->bits() != right->bits())
    return left->bits() > right->bits() ? left : right;
  return left->isSigned() ? left : right;
}

/// Repeated multiplication.
OperationTypes numberToInteger(const Type *base) {
  return {base == types::float16() ? types::float32() : base, base, types::int64()};
}

OperationTypes numbaPower(const Type *left, const Type *right, const Type *common) {
  if ((left->isFloat() || left->isComplex()) && right->isInteger()) {
    return numberToInteger(left->isFloat() ? left : common);
  }
  return same(common);
}

OperationTypes numbaBinary(BinaryOperator op, const Type *left, const Type *right) {
  if (isBitwise(op))
    return left->isInteger() && right->isInteger() ? same(numbaBitwise(left, right), true) : OperationTypes{};
  if (isShift(op)) {
    if (!left->isInteger() || !right->isInteger())
      return {};
    const Type *result = isUnsigned(left) ? types::uint64() : types::int64();
    return {result, result, result};
  }
  const Type *common = widest(left, right);
  if (op == BinaryOperator::Pow)
    return numbaPower(left, right, common);
  if (op == BinaryOperator::TrueDiv)
    return same(common->isInteger() ? types::float64() : common);
  bool wantsReal = op == BinaryOperator::FloorDiv || op == BinaryOperator::Mod;
  return wantsReal && common->isComplex() ? OperationTypes{} : same(common);
}

} // namespace

// cuda-python.

namespace {

/// A literal takes the type of the other, typed operand if its value fits.
void adopt(Operand &left, Operand &right) {
  if (left.isLiteral == right.isLiteral)
    return;
  Operand &literal = left.isLiteral ? left : right;
  const Type *neighbour = left.isLiteral ? right.type : left.type;
  if (literalFits(literal, neighbour))
    literal.type = neighbour;
}

OperationTypes cudaPythonFloorDiv(const Type *common) {
  if (common->isComplex())
    return {};
  const Type *result = types::integer(std::max(32u, common->bits()), !isUnsigned(common));
  if (common == types::float16())
    return {common, result, nullptr, types::float64()}; // in float32, quotients above 8192 may be off
  return {common, result, nullptr, common->isFloat() || common == result ? nullptr : result};
}

const Type *cudaPythonQuotient(const Type *left, const Type *right) {
  if (left->isComplex() || right->isComplex())
    return moreGeneric(left, right);
  return std::max(left->bits(), right->bits()) > 32 ? types::float64() : types::float32();
}

OperationTypes cudaPythonBinary(BinaryOperator op, Operand left, Operand right) {
  bool literalPower = op == BinaryOperator::Pow && right.isLiteral && right.type->isInt();
  adopt(left, right);
  const Type *common = moreGeneric(left.type, right.type);
  if (isBitwise(op))
    return common->isInteger() ? same(common, true) : OperationTypes{};
  if (isShift(op)) {
    if (!common->isInteger())
      return {};
    OperationTypes types = same(common);
    types.count = common;
    return types;
  }
  if (op == BinaryOperator::TrueDiv)
    return same(cudaPythonQuotient(left.type, right.type));
  if (op == BinaryOperator::FloorDiv)
    return cudaPythonFloorDiv(common);
  if (op == BinaryOperator::Mod && common->isComplex())
    return {};
  // Repeated multiplication is accurate enough for small exponents only, which literal ones are.
  if (literalPower && !common->isInteger() && right.integer >= -64 && right.integer <= 64)
    return numberToInteger(common);
  return same(common);
}

} // namespace

OperationTypes NumberRules::binary(BinaryOperator op, Operand left, Operand right) const {
  if (!left.type->isNumber() || !right.type->isNumber())
    return {};
  return set == RuleSet::Numba ? numbaBinary(op, left.type, right.type) : cudaPythonBinary(op, left, right);
}

OperationTypes NumberRules::unary(UnaryOperator op, Operand operand) const {
  const Type *type = operand.type;
  if (!type->isNumber())
    return {};
  if (op == UnaryOperator::Not)
    return {type, types::boolean()};
  if (op == UnaryOperator::Invert)
    return type->isInteger() ? same(type, true) : OperationTypes{};
  if (set == RuleSet::Numba && type->isInteger()) {
    // -x of uint8 is in 0 to 255, and of int8 never 128: it is negated in its own type, then widened.
    const Type *wide = isUnsigned(type) ? types::uint64() : types::int64();
    return op == UnaryOperator::Negative && !type->isBool() ? OperationTypes{type, wide} : same(wide);
  }
  return same(type);
}

namespace {

/// The type in which two integers can be compared exactly, or nullptr if there is none.
const Type *exactCommon(const Type *left, const Type *right) {
  if (left->isBool() || right->isBool())
    return left->isBool() ? (right->isBool() ? types::int32() : right) : left;
  if (left->isSigned() == right->isSigned())
    return left->bits() >= right->bits() ? left : right;
  const Type *withSign = left->isSigned() ? left : right;
  const Type *other = left->isSigned() ? right : left;
  return withSign->bits() > other->bits() ? withSign : nullptr;
}

} // namespace

OperationTypes NumberRules::compare(CompareOperator op, Operand left, Operand right) const {
  if (!left.type->isNumber() || !right.type->isNumber())
    return {};
  if (set == RuleSet::CudaPython)
    adopt(left, right);
  if (left.type->isInteger() && right.type->isInteger())
    return {exactCommon(left.type, right.type), types::boolean()};
  const Type *common = set == RuleSet::Numba ? widest(left.type, right.type) : moreGeneric(left.type, right.type);
  if (common->isComplex() && op != CompareOperator::Equal && op != CompareOperator::NotEqual)
    return {};
  return {common, types::boolean(), nullptr, common == types::float16() ? types::float32() : nullptr};
}

OperationTypes NumberRules::minMax(Operand left, Operand right) const {
  if (!left.type->isReal() || !right.type->isReal())
    return {};
  if (set == RuleSet::Numba)
    return same(promoted(left.type, right.type));
  adopt(left, right);
  return same(moreGeneric(left.type, right.type));
}

OperationTypes NumberRules::abs(Operand operand) const {
  const Type *type = operand.type;
  if (!type->isNumber())
    return {};
  if (type->isComplex())
    return {type, type->element()};
  if (type->isBool() && set == RuleSet::Numba)
    return {types::int64(), types::int64()};
  return same(type);
}

const Type *NumberRules::mathFloat(Operand argument) const {
  if (!argument.type->isReal())
    return nullptr;
  if (argument.type->isFloat())
    return argument.type->bits() < 32 ? types::float32() : argument.type;
  bool isNarrow = set == RuleSet::CudaPython && argument.type->bits() <= 32;
  return isNarrow ? types::float32() : types::float64();
}

const Type *NumberRules::mathFloat(Operand left, Operand right) const {
  if (set == RuleSet::CudaPython && left.type->isNumber() && right.type->isNumber())
    adopt(left, right);
  const Type *first = mathFloat(left), *second = mathFloat(right);
  if (!first || !second)
    return nullptr;
  return first->bits() >= second->bits() ? first : second;
}

const Type *NumberRules::roundingResult(Operand argument) const {
  if (!argument.type->isReal())
    return nullptr;
  return set == RuleSet::Numba ? types::int64() : mathFloat(argument);
}

namespace {

const Type *numbaCounter(std::initializer_list<Operand> bounds) {
  bool hasWideSigned = false, hasUnsigned = false, hasSigned = false, hasWide = false;
  for (const Operand &bound : bounds) {
    const Type *type = bound.type;
    (isUnsigned(type) ? hasUnsigned : hasSigned) = true;
    hasWide |= type->bits() > 32;
    hasWideSigned |= isUnsigned(type) ? type->bits() == 32 : type->bits() > 32;
  }
  if (!hasSigned)
    return types::uint64();
  return hasWide || (hasUnsigned && hasWideSigned) ? types::int64() : types::int32();
}

} // namespace

const Type *NumberRules::rangeCounter(Operand start, Operand stop, Operand step) const {
  for (const Operand &bound : {start, stop, step})
    if (!bound.type->isInteger())
      return nullptr;
  if (set == RuleSet::Numba)
    return numbaCounter({start, stop, step});
  const Type *counter = nullptr;
  for (const Operand &bound : {start, stop, step})
    if (!bound.isLiteral && !bound.type->isBool())
      counter = counter ? moreGeneric(counter, bound.type) : bound.type;
  if (!counter)
    return types::intp();
  for (const Operand &bound : {start, stop, step})
    if (bound.isLiteral && !literalFits(bound, counter))
      return moreGeneric(counter, types::intp());
  return counter;
}

const Type *NumberRules::literal(Operand operand) const { return operand.type; }

} // namespace treadle
