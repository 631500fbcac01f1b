// Constant folding.
// What is folded must be what the device would compute: integers wrap in their own width, and numbers of 16 and 32 bits
// are rounded when the node is made. What the host would compute differently, or what is an error under debug (division
// by zero), is left to run time.
#include "infer/tree/fold.h"

#include <cmath>
#include <optional>

namespace treadle {

namespace {

/// The low bits of `value` as a number of that type.
int64_t wrapped(const Type *type, uint64_t value) {
  if (type->isBool())
    return value != 0;
  const unsigned unused = (64 - type->bits()) % 64;
  return type->isSigned() ? int64_t(value << unused) >> unused : int64_t(value << unused >> unused);
}

/// As the instructions of GPUs convert: out of range gives the nearest limit, NaN 0. C++ leaves both undefined.
int64_t saturated(const Type *type, double value) {
  if (std::isnan(value))
    return 0;
  const int high = int(type->bits()) - (type->isSigned() ? 1 : 0);
  const double limit = std::ldexp(1.0, high);
  const double low = type->isSigned() ? -limit : 0.0;
  value = std::trunc(value);
  if (value >= limit)
    return wrapped(type, high == 64 ? ~uint64_t(0) : (uint64_t(1) << high) - 1);
  if (value < low)
    return type->isSigned() ? wrapped(type, uint64_t(1) << high) : 0;
  return type->isSigned() ? int64_t(value) : int64_t(uint64_t(value));
}

/// Constants have 64 bits in an int64_t; those of unsigned types are meant without sign.
double toReal(const typed::Const &value) {
  if (!value.type->isInteger())
    return value.real;
  const bool isUnsigned = !value.type->isSigned();
  return isUnsigned ? double(uint64_t(value.integer)) : double(value.integer);
}

} // namespace

/// A converted literal is still a literal.
typed::Const *foldConvert(const typed::Nodes &nodes, const typed::Const &value, const Type *type) {
  typed::Const *made = nullptr;
  if (type->isBool()) {
    const bool isTrue = value.type->isInteger() ? value.integer != 0 : value.real != 0 || value.imag != 0;
    made = nodes.boolean(isTrue, value.span);
  } else if (type->isInt()) {
    made = nodes.integer(type,
                         value.type->isInteger() ? wrapped(type, uint64_t(value.integer)) : saturated(type, value.real),
                         value.span);
  } else {
    // An integer becomes a float32 with a single rounding, not through float64.
    const bool isSingle = (type->isComplex() ? type->bits() / 2 : type->bits()) == 32;
    double real = toReal(value);
    if (isSingle && value.type->isInteger())
      real = value.type->isSigned() ? double(float(value.integer)) : double(float(uint64_t(value.integer)));
    made = type->isComplex() ? nodes.complex(type, real, value.imag, value.span) : nodes.real(type, real, value.span);
  }
  made->isLiteral = value.isLiteral;
  made->isNumpy = value.isNumpy;
  return made;
}

namespace {

struct Quotient {
  uint64_t quotient, remainder;
};

/// Python's // and %: rounded down, the remainder has the divisor's sign. nullopt for a divisor of 0. The smallest
/// int64 by -1 wraps, where C++ has undefined behaviour.
std::optional<Quotient> floorDivide(const Type *type, int64_t left, int64_t right) {
  if (right == 0)
    return std::nullopt;
  const auto x = uint64_t(left), y = uint64_t(right);
  if (!type->isSigned())
    return Quotient{x / y, x % y};
  if (right == -1)
    return Quotient{uint64_t(0) - x, 0};
  const int64_t remainder = left % right;
  const bool adjust = remainder != 0 && (remainder < 0) != (right < 0);
  return Quotient{uint64_t(left / right - adjust), uint64_t(remainder + (adjust ? right : 0))};
}

/// By squaring, modulo 2^64.
uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return result;
}

/// A negative exponent gives an integer as well: with captured numbers, 2 ** -1 is 0 and (-1) ** -3 is -1. Of 0 it is a
/// division by zero.
std::optional<uint64_t> foldPower(const Type *type, int64_t base, int64_t exponent) {
  if (!type->isSigned() || exponent >= 0)
    return power(uint64_t(base), uint64_t(exponent));
  if (base == 1 || base == -1)
    return uint64_t(exponent % 2 ? base : 1);
  return base == 0 ? std::nullopt : std::optional<uint64_t>(0);
}

/// Unsigned arithmetic, which wraps; the caller cuts the result to the width of the type. Shift counts are taken modulo
/// the width.
std::optional<uint64_t> foldIntegers(Operation op, const Type *type, int64_t left, int64_t right) {
  const auto x = uint64_t(left), y = uint64_t(right);
  const unsigned shift = unsigned(y & (type->bits() - 1));
  switch (op) {
  case Operation::Add:
    return x + y;
  case Operation::Sub:
    return x - y;
  case Operation::Mul:
    return x * y;
  case Operation::FloorDiv:
    if (auto divided = floorDivide(type, left, right))
      return divided->quotient;
    return std::nullopt;
  case Operation::Mod:
    if (auto divided = floorDivide(type, left, right))
      return divided->remainder;
    return std::nullopt;
  case Operation::Pow:
    return foldPower(type, left, right);
  case Operation::Shl:
    return x << shift;
  case Operation::Shr:
    return type->isSigned() ? uint64_t(left >> shift) : x >> shift;
  case Operation::BitAnd:
    return x & y;
  case Operation::BitOr:
    return x | y;
  case Operation::BitXor:
    return x ^ y;
  case Operation::Min:
    return (type->isSigned() ? left < right : x < y) ? x : y;
  case Operation::Max:
    return (type->isSigned() ? left > right : x > y) ? x : y;
  default:
    return std::nullopt;
  }
}

/// Only operations that are correctly rounded everywhere. float32 is computed in float64 and rounded once more, which
/// gives the same result for these. `//`, `%` and `**` are left to the device's routines.
std::optional<double> foldReals(Operation op, double left, double right) {
  switch (op) {
  case Operation::Add:
    return left + right;
  case Operation::Sub:
    return left - right;
  case Operation::Mul:
    return left * right;
  case Operation::TrueDiv:
    return right == 0 ? std::nullopt : std::optional(left / right);
  default:
    return std::nullopt;
  }
}

/// -1, 0, 1: the order of two integers of any types; 2: unordered.
/// Exact for int64 with uint64, whose values no common type holds: -1 < 2**63.
int order(const typed::Const &left, const typed::Const &right) {
  if (left.type->isInteger() && right.type->isInteger()) {
    const bool leftHuge = !left.type->isSigned() && left.integer < 0;
    const bool rightHuge = !right.type->isSigned() && right.integer < 0;
    if (leftHuge != rightHuge)
      return leftHuge ? 1 : -1;
    const bool isLess = leftHuge ? uint64_t(left.integer) < uint64_t(right.integer) : left.integer < right.integer;
    return left.integer == right.integer ? 0 : isLess ? -1 : 1;
  }
  if (std::isnan(left.real) || std::isnan(right.real))
    return 2;
  return left.real == right.real ? 0 : left.real < right.real ? -1 : 1;
}

std::optional<bool> foldCompare(Operation op, const typed::Const &left, const typed::Const &right) {
  const int result = order(left, right);
  switch (op) {
  case Operation::Eq:
    return result == 0;
  case Operation::Ne:
    return result != 0;
  case Operation::Lt:
    return result == -1;
  case Operation::Le:
    return result == -1 || result == 0;
  case Operation::Gt:
    return result == 1;
  case Operation::Ge:
    return result == 1 || result == 0;
  default:
    return std::nullopt;
  }
}

/// One operation on constants.
/// nullptr: left to run time.
class Folder {
public:
  Folder(const typed::Nodes &nodes, const FoldedOperation &what) : nodes(nodes), what(what), type(what.type) {}

  typed::Const *unary(const typed::Const &value) const {
    const bool isInteger = value.type->isInteger();
    if (what.op == Operation::Not)
      return nodes.boolean(value.integer == 0, what.span);
    if (what.op == Operation::Neg && isInteger)
      return integer(uint64_t(0) - uint64_t(value.integer));
    if (what.op == Operation::Neg && value.type->isFloat())
      return nodes.real(type, -value.real, what.span);
    if (what.op == Operation::Neg)
      return nodes.complex(type, -value.real, -value.imag, what.span);
    if (what.op == Operation::Invert && value.type->isBool())
      return nodes.boolean(value.integer == 0, what.span);
    return what.op == Operation::Invert ? integer(~uint64_t(value.integer)) : nullptr;
  }

  typed::Const *binary(const typed::Const &left, const typed::Const &right) const {
    if (left.type->isComplex() || right.type->isComplex())
      return complex(left, right);
    if (auto answer = type->isBool() ? foldCompare(what.op, left, right) : std::nullopt)
      return nodes.boolean(*answer, what.span);
    if (left.type != right.type || left.type != type)
      return nullptr;
    if (type->isInteger()) {
      auto value = foldIntegers(what.op, type, left.integer, right.integer);
      return value ? integer(*value) : nullptr;
    }
    auto value = foldReals(what.op, left.real, right.real);
    return value ? nodes.real(type, *value, what.span) : nullptr;
  }

private:
  typed::Const *integer(uint64_t value) const { return nodes.integer(type, wrapped(type, value), what.span); }

  typed::Const *complex(const typed::Const &left, const typed::Const &right) const {
    if (what.op == Operation::Add)
      return nodes.complex(type, left.real + right.real, left.imag + right.imag, what.span);
    if (what.op == Operation::Sub)
      return nodes.complex(type, left.real - right.real, left.imag - right.imag, what.span);
    return nullptr;
  }

  const typed::Nodes &nodes;
  const FoldedOperation &what;
  const Type *type;
};

} // namespace

/// The result is a literal if all operands are, so that `-1` and `2 * 3` are literals to the number rules; and NumPy's
/// if one operand is.
typed::Const *foldOperation(const typed::Nodes &nodes, const FoldedOperation &what,
                            const std::vector<typed::Expr *> &operands) {
  bool allLiteral = true, anyNumpy = false;
  for (const typed::Expr *operand : operands) {
    if (operand->kind != typed::ExprKind::Const || !operand->type->isNumber())
      return nullptr;
    allLiteral &= operand->as<typed::Const>().isLiteral;
    anyNumpy |= operand->as<typed::Const>().isNumpy;
  }
  const Folder folder(nodes, what);
  typed::Const *made = nullptr;
  if (operands.size() == 1)
    made = folder.unary(operands[0]->as<typed::Const>());
  else if (operands.size() == 2)
    made = folder.binary(operands[0]->as<typed::Const>(), operands[1]->as<typed::Const>());
  if (!made)
    return nullptr;
  made->isLiteral = allLiteral;
  made->isNumpy = anyNumpy;
  return made;
}

} // namespace treadle
