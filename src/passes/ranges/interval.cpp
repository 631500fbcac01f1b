// Arithmetic on intervals of integers.
#include "passes/ranges/interval.h"

#include <algorithm>
#include <bit>

namespace treadle::intervals {

namespace {

constexpr int64_t minimum = std::numeric_limits<int64_t>::min();
constexpr int64_t maximum = std::numeric_limits<int64_t>::max();

/// Sums, differences, products and shifts of int64 bounds fit 128 bits, so `fit` sees results that have not wrapped.
using Wide = __int128;

bool isUnsigned64(const Type *type) { return type->bits() == 64 && !type->isSigned(); }

/// The interval if the type can hold it, otherwise all values of the type: the result may have wrapped.
Interval fit(const Type *type, Wide low, Wide high) {
  Interval all = ofType(type);
  if (low < all.low || high > all.high)
    return all;
  return {int64_t(low), int64_t(high)};
}

/// Operations that compare magnitudes read uint64 as a number: their bits, read as int64, must not be negative.
bool readsAsNumber(const Type *type, Interval a) { return !isUnsigned64(type) || a.low >= 0; }

/// A product is monotonic in each factor, so its extremes are at the corners. For uint64 the bits are multiplied as
/// int64, which is the same product modulo 2^64.
Interval multiply(const Type *type, Interval a, Interval b) {
  const Wide corners[] = {Wide(a.low) * b.low, Wide(a.low) * b.high, Wide(a.high) * b.low, Wide(a.high) * b.high};
  return fit(type, *std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
}

/// Rounds down, as Python does. `b` is positive, so that the minimum of int64 divided by -1 does not occur.
int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

Interval divide(const Type *type, Interval a, Interval b) {
  // Dividing by 0 may yield any value.
  if (b.low < 1 || !readsAsNumber(type, a))
    return ofType(type);
  // The quotient grows with `a`; whether it grows with `b` depends on the sign of `a`, so both ends of `b` are tried.
  int64_t low = std::min(floorDivide(a.low, b.low), floorDivide(a.low, b.high));
  int64_t high = std::max(floorDivide(a.high, b.low), floorDivide(a.high, b.high));
  return {low, high};
}

/// The result has the sign of the divisor, as in Python, so the divisor bounds it whatever the dividend is: a uint64 of
/// 2^63 or more, whose bounds are negative, needs no case of its own.
Interval remainder(const Type *type, Interval a, Interval b) {
  if (b.low >= 1) {
    if (a.low >= 0 && a.high < b.low)
      return a;
    return {0, a.low >= 0 ? std::min(a.high, b.high - 1) : b.high - 1};
  }
  if (type->isSigned() && b.high < 0)
    return {b.low + 1, 0};
  return ofType(type);
}

Interval shiftLeft(const Type *type, Interval a, Interval count) {
  if (count.low < 0 || count.high >= int64_t(type->bits()) || a.low < 0)
    return ofType(type);
  // At most 2^63 times 2^63.
  return fit(type, Wide(a.low) << count.low, Wide(a.high) << count.high);
}

Interval shiftRight(const Type *type, Interval a, Interval count) {
  if (count.low < 0 || count.high >= int64_t(type->bits()))
    count = {0, int64_t(type->bits()) - 1};
  if (!readsAsNumber(type, a)) {
    if (count.low == 0)
      return ofType(type);
    // A logical shift by one or more clears the bit that int64 takes for the sign.
    return {0, int64_t(~uint64_t(0) >> count.low)};
  }
  return {std::min(a.low >> count.low, a.low >> count.high), std::max(a.high >> count.low, a.high >> count.high)};
}

/// All ones up to the highest bit that a number in [0, high] may have set.
int64_t bitsBelow(int64_t high) {
  int width = std::bit_width(uint64_t(high));
  return width >= 63 ? maximum : (int64_t(1) << width) - 1;
}

/// `and` with a number that is not negative leaves some of its bits, whatever the other operand is; `or` and `xor` of
/// two such numbers set no bit above their highest, and `or` clears none.
Interval bitwise(Operation op, const Type *type, Interval a, Interval b) {
  if (op == Operation::BitAnd && (a.low >= 0 || b.low >= 0))
    return {0, a.low < 0 ? b.high : b.low < 0 ? a.high : std::min(a.high, b.high)};
  if (op == Operation::BitAnd || a.low < 0 || b.low < 0)
    return ofType(type);
  return {op == Operation::BitOr ? std::max(a.low, b.low) : 0, bitsBelow(std::max(a.high, b.high))};
}

/// The minimum of a signed type has no positive counterpart, so an interval that includes it is given up.
Interval absolute(const Type *type, Interval a) {
  if (!type->isSigned() || a.low >= 0)
    return a;
  if (a.low == ofType(type).low)
    return ofType(type); // the absolute value of the minimum is itself
  return {a.high < 0 ? -a.high : 0, std::max(-a.low, a.high)};
}

/// Reverses the order. Narrower unsigned types have no sign bits to invert; for uint64 those of int64 are its own bits.
Interval invert(const Type *type, Interval a) {
  if (type->isSigned() || type->bits() == 64)
    return {~a.high, ~a.low};
  int64_t top = ofType(type).high;
  return {top - a.high, top - a.low};
}

} // namespace

Interval ofType(const Type *type) {
  if (type->isBool())
    return {0, 1};
  if (!type->isInt() || type->bits() == 64)
    return {minimum, maximum};
  unsigned bits = type->bits();
  if (!type->isSigned())
    return {0, (int64_t(1) << bits) - 1};
  return {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
}

Interval unary(Operation op, const Type *type, Interval a) {
  if (!type->isInt())
    return ofType(type);
  switch (op) {
  case Operation::BroadcastFirst:
    return a;
  case Operation::Neg:
    return fit(type, -Wide(a.high), -Wide(a.low));
  case Operation::Invert:
    return invert(type, a);
  case Operation::Abs:
    return absolute(type, a);
  case Operation::Popc:
  case Operation::Clz:
  case Operation::Ffs:
    return {0, int64_t(type->bits())};
  default:
    return ofType(type);
  }
}

Interval binary(Operation op, const Type *type, Interval a, Interval b) {
  if (!type->isInt())
    return ofType(type);
  switch (op) {
  case Operation::Add:
    return fit(type, Wide(a.low) + b.low, Wide(a.high) + b.high);
  case Operation::Sub:
    return fit(type, Wide(a.low) - b.high, Wide(a.high) - b.low);
  case Operation::Mul:
    return multiply(type, a, b);
  case Operation::FloorDiv:
    return divide(type, a, b);
  case Operation::Mod:
    return remainder(type, a, b);
  case Operation::Shl:
    return shiftLeft(type, a, b);
  case Operation::Shr:
    return shiftRight(type, a, b);
  case Operation::BitAnd:
  case Operation::BitOr:
  case Operation::BitXor:
    return bitwise(op, type, a, b);
  case Operation::Min:
  case Operation::Max:
    if (!readsAsNumber(type, a) || !readsAsNumber(type, b))
      return ofType(type);
    if (op == Operation::Min)
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  default:
    return ofType(type);
  }
}

Interval convert(const Type *to, Interval a) { return fit(to, a.low, a.high); }

bool isExact(Operation op, const Type *type, Interval a, Interval b) {
  Interval all = ofType(type);
  if (op == Operation::Add)
    return Wide(a.low) + b.low >= all.low && Wide(a.high) + b.high <= all.high;
  return op == Operation::Sub && Wide(a.low) - b.high >= all.low && Wide(a.high) - b.low <= all.high;
}

Numbers numbers(const Type *type, Interval a) {
  if (readsAsNumber(type, a))
    return {a.low, a.high};
  constexpr Wide all = Wide(1) << 64;
  // Bounds on both sides of zero include the smallest and the largest number.
  if (a.high >= 0)
    return {0, all - 1};
  return {a.low + all, a.high + all};
}

Interval within(const Type *type, Numbers bounds) {
  Interval all = ofType(type);
  // Numbers from 2^63 on are negative as int64: bounds across it would be two intervals.
  if (isUnsigned64(type) && bounds.high > maximum)
    return all;
  Wide least = isUnsigned64(type) ? 0 : all.low;
  Wide low = std::max(bounds.low, least), high = std::min<Wide>(bounds.high, all.high);
  if (low > high)
    return empty();
  return {int64_t(low), int64_t(high)};
}

} // namespace treadle::intervals
