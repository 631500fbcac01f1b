// Orders of generality among number types.
#include "types/number_sets.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace treadle::number_sets {

namespace {

unsigned partBits(const Type *type) { return type->isComplex() ? type->bits() / 2 : type->bits(); }

} // namespace

const Type *widest(const Type *left, const Type *right) {
  if (left->isInteger() && right->isInteger())
    return isUnsigned(left) && isUnsigned(right) ? types::uint64() : types::int64();
  auto fitsSingle = [](const Type *type) {
    if (!type->isInteger())
      return partBits(type) <= 32;
    return type->bits() <= (isUnsigned(type) ? 8u : 16u);
  };
  unsigned bits = fitsSingle(left) && fitsSingle(right) ? 32 : 64;
  if (left->isComplex() || right->isComplex())
    return types::complex(2 * bits);
  auto fitsHalf = [](const Type *type) { return type == types::float16() || (type->isInteger() && type->bits() <= 8); };
  if (fitsHalf(left) && fitsHalf(right))
    return types::float16();
  return types::floating(bits);
}

namespace {

/// Position from least to most generic: kind first, then width, unsigned after signed.
unsigned genericRank(const Type *type) {
  unsigned kind = unsigned(type->kind());
  return kind << 16 | type->bits() << 1 | unsigned(isUnsigned(type));
}

} // namespace

const Type *moreGeneric(const Type *left, const Type *right) {
  const Type *more = genericRank(left) >= genericRank(right) ? left : right;
  const Type *less = more == left ? right : left;
  return more == types::complex64() && less == types::float64() ? types::complex128() : more;
}

namespace {

const Type *promotedIntegers(const Type *left, const Type *right) {
  if (left->isSigned() == right->isSigned())
    return left->bits() >= right->bits() ? left : right;
  unsigned withSign = left->isSigned() ? left->bits() : right->bits();
  unsigned without = left->isSigned() ? right->bits() : left->bits();
  if (withSign > without)
    return types::integer(withSign, true);
  return without < 64 ? types::integer(2 * without, true) : types::float64();
}

/// Bits of the smallest float to which NumPy promotes `type`.
unsigned floatBits(const Type *type) {
  if (type->isInt())
    return type->bits() == 8 ? 16 : type->bits() == 16 ? 32 : 64;
  return partBits(type);
}

} // namespace

const Type *promoted(const Type *left, const Type *right) {
  if (left == right || right->isBool())
    return left;
  if (left->isBool())
    return right;
  if (left->isInt() && right->isInt())
    return promotedIntegers(left, right);
  unsigned bits = std::max(floatBits(left), floatBits(right));
  if (left->isComplex() || right->isComplex())
    return types::complex(2 * std::max(bits, 32u));
  return types::floating(bits);
}

namespace {

bool integerFits(const Operand &literal, const Type *type) {
  bool isHuge = isUnsigned(literal.type) && literal.integer < 0;
  if (type->isInt()) {
    if (isHuge)
      return isUnsigned(type) && type->bits() == 64;
    if (type->bits() == 64)
      return type->isSigned() || literal.integer >= 0;
    int64_t low = type->isSigned() ? -(int64_t(1) << (type->bits() - 1)) : 0;
    int64_t high = (int64_t(1) << (type->bits() - unsigned(type->isSigned()))) - 1;
    return literal.integer >= low && literal.integer <= high;
  }
  // Exact in the float: the magnitude without its trailing zeros fits the significand, and is no more than the largest.
  uint64_t magnitude =
      isHuge || literal.integer >= 0 ? uint64_t(literal.integer) : uint64_t(0) - uint64_t(literal.integer);
  if (partBits(type) == 16 && magnitude > 65504)
    return false;
  while (magnitude != 0 && magnitude % 2 == 0)
    magnitude /= 2;
  unsigned digits = partBits(type) == 64 ? DBL_MANT_DIG : partBits(type) == 32 ? FLT_MANT_DIG : 11;
  return magnitude < uint64_t(1) << digits;
}

bool realFits(double value, const Type *type) {
  if (!std::isfinite(value) || partBits(type) == 64)
    return true;
  return std::fabs(value) <= (partBits(type) == 32 ? double(FLT_MAX) : 65504.0);
}

} // namespace

bool literalFits(const Operand &literal, const Type *type) {
  if (type->isBool() || !type->isNumber())
    return false;
  if (literal.type->isInt())
    return integerFits(literal, type);
  return literal.type->isFloat() && !type->isInt() && realFits(literal.real, type);
}

} // namespace treadle::number_sets
