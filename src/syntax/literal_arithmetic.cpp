// Exact arithmetic on literal integers.
#include "syntax/literal_arithmetic.h"

#include "support/error.h"

#include <cmath>
#include <limits>

namespace treadle {

using namespace syntax;

namespace {

using Wide = __int128;

constexpr Wide lowest = std::numeric_limits<int64_t>::min(), highest = std::numeric_limits<int64_t>::max();

std::optional<Wide> product(Wide left, Wide right) {
  Wide result = 0;
  return __builtin_mul_overflow(left, right, &result) ? std::nullopt : std::optional(result);
}

std::optional<Wide> power(Wide base, Wide exponent) {
  std::optional<Wide> result = 1;
  if (base >= -1 && base <= 1)
    return base == 0 ? exponent == 0 : exponent % 2 ? base : 1;
  while (result && exponent-- > 0) // at most 127 times before it overflows
    result = product(*result, base);
  return result;
}

std::optional<Wide> shifted(Wide value, Wide count) {
  if (value == 0)
    return 0;
  return count > 126 ? std::nullopt : product(value, Wide(1) << count);
}

/// Nothing: an error in Python, or beyond 128 bits.
std::optional<Wide> exactly(BinaryOperator op, Wide left, Wide right) {
  Wide result = 0;
  const Wide remainder = right == 0 || right == -1 ? 0 : left % right;
  const bool adjust = remainder != 0 && (remainder < 0) != (right < 0);
  switch (op) {
  case BinaryOperator::Add:
    return __builtin_add_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  case BinaryOperator::Sub:
    return __builtin_sub_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  case BinaryOperator::Mul:
    return product(left, right);
  case BinaryOperator::FloorDiv:
    if (right == 0 || right == -1)
      return right == 0 ? std::nullopt : product(left, right);
    return left / right - adjust;
  case BinaryOperator::Mod:
    return right == 0 ? std::nullopt : std::optional<Wide>(remainder + (adjust ? right : 0));
  case BinaryOperator::Pow:
    return right < 0 ? std::nullopt : power(left, right);
  case BinaryOperator::LShift:
    return right < 0 ? std::nullopt : shifted(left, right);
  case BinaryOperator::RShift:
    return right < 0 ? std::nullopt : std::optional<Wide>(left >> (right > 126 ? Wide(126) : right));
  case BinaryOperator::And:
    return left & right;
  case BinaryOperator::Or:
    return left | right;
  case BinaryOperator::Xor:
    return left ^ right;
  case BinaryOperator::TrueDiv:
    return std::nullopt;
  }
  TREADLE_CHECK(false);
}

/// Errors in Python, and results that are not integers: left to run time.
bool isLeftAlone(BinaryOperator op, std::optional<Wide> right) {
  switch (op) {
  case BinaryOperator::TrueDiv:
    return true;
  case BinaryOperator::FloorDiv:
  case BinaryOperator::Mod:
    return right == 0;
  case BinaryOperator::Pow:
  case BinaryOperator::LShift:
  case BinaryOperator::RShift:
    return right && *right < 0;
  default:
    return false;
  }
}

bool isInteger(const Expr &expression) {
  return expression.kind == ExprKind::Literal && expression.as<Literal>().literal == LiteralKind::Int;
}

bool isInt64(Wide value) { return value >= lowest && value <= highest; }

} // namespace

std::optional<LiteralArithmetic::Wide> LiteralArithmetic::valueOf(const Expr &expression) const {
  if (const auto found = known.find(&expression); found != known.end())
    return found->second;
  if (expression.kind != ExprKind::Literal)
    return std::nullopt;
  const auto &number = expression.as<Literal>();
  if (number.literal != LiteralKind::Int || number.tooLarge)
    return std::nullopt;
  return number.isUnsigned ? Wide(uint64_t(number.integer)) : Wide(number.integer);
}

Literal *LiteralArithmetic::literal(SourceSpan span, LiteralKind kind) {
  return nodes.make<Literal>(Expr{ExprKind::Literal, span}, kind, false, false, int64_t(0), 0.0);
}

/// For a value beyond 128 bits, or computed from one: it is unknown, and its use is an error.
Expr *LiteralArithmetic::tooLarge(SourceSpan span) {
  Literal *made = literal(span, LiteralKind::Int);
  made->tooLarge = true;
  return made;
}

Expr *LiteralArithmetic::settled(Expr *operation, Wide value, bool areInt64) {
  if (areInt64 && isInt64(value)) {
    known[operation] = value;
    return operation;
  }
  Literal *made = literal(operation->span, LiteralKind::Int);
  made->integer = int64_t(uint64_t(value));
  made->isUnsigned = value > highest;
  made->tooLarge = value < lowest || value > Wide(std::numeric_limits<uint64_t>::max());
  known[made] = value;
  return made;
}

Expr *LiteralArithmetic::negated(Expr *operation, const Expr &operand) {
  const std::optional<Wide> value = valueOf(operand);
  if (!value)
    return isInteger(operand) ? tooLarge(operation->span) : operation;
  const std::optional<Wide> result = product(*value, -1);
  return result ? settled(operation, *result, isInt64(*value)) : tooLarge(operation->span);
}

Expr *LiteralArithmetic::combined(Binary *operation) {
  const std::optional<Wide> left = valueOf(*operation->left), right = valueOf(*operation->right);
  const bool areIntegers = (left || isInteger(*operation->left)) && (right || isInteger(*operation->right));
  if (!areIntegers || operation->isMatMul)
    return operation;
  if (operation->op == BinaryOperator::Pow && left && right && *right < 0 && *left != 0) {
    Literal *made = literal(operation->span, LiteralKind::Float);
    made->real = std::pow(double(*left), double(*right));
    return made;
  }
  if (isLeftAlone(operation->op, right))
    return operation;
  const std::optional<Wide> value = left && right ? exactly(operation->op, *left, *right) : std::nullopt;
  return value ? settled(operation, *value, isInt64(*left) && isInt64(*right)) : tooLarge(operation->span);
}

} // namespace treadle
