// NumberRules: which type an operation on numbers is computed in. Nothing else decides promotion.
#pragma once

#include "support/export.h"
#include "types/type.h"

#include <cstdint>

namespace treadle {

enum class RuleSet : uint8_t { Numba, CudaPython };

/// Operators as Python writes them; which machine operation that becomes is NumberRules' answer.
enum class BinaryOperator : uint8_t { Add, Sub, Mul, TrueDiv, FloorDiv, Mod, Pow, LShift, RShift, And, Or, Xor };
enum class UnaryOperator : uint8_t { Negative, Positive, Invert, Not };
enum class CompareOperator : uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

/// A number operand: its type, and whether it is a literal that may adopt its neighbour's type ("weak"), with the
/// value that decides whether it fits.
struct Operand {
  const Type *type = nullptr;
  bool isLiteral = false;
  int64_t integer = 0; ///< literal ints; a literal beyond int64 has type uint64 and its bits here
  double real = 0;     ///< literal floats
};

/// Both operands are converted to `operand` first; the right one to `count` where that is set (shift counts, integer
/// exponents of floats). Where `computed` is set they are then converted to it, and the operation is done in that type.
/// What the operation gives is converted to `result`. `operand` null: the operator is not defined for these types.
struct OperationTypes {
  const Type *operand = nullptr;
  const Type *result = nullptr;
  const Type *count = nullptr;
  const Type *computed = nullptr;
  explicit operator bool() const { return operand != nullptr; }
};

/// How well one type turns into another; a smaller rank is better. The order of Numba's overload resolution.
enum class Conversion : uint8_t { Exact, Promote, Safe, Unsafe, None };

/// Pure functions from operand types to operation and result type; nothing else decides promotion.
class NumberRules {
public:
  explicit NumberRules(RuleSet set) : set(set) {}
  RuleSet ruleSet() const { return set; }

  TREADLE_API OperationTypes binary(BinaryOperator op, Operand left, Operand right) const;
  TREADLE_API OperationTypes unary(UnaryOperator op, Operand operand) const;
  /// `operand` null where the two are compared exactly as integers of different signs: both keep their own types.
  TREADLE_API OperationTypes compare(CompareOperator op, Operand left, Operand right) const;
  /// min, max and abs: `abs` of a complex gives its part's type.
  TREADLE_API OperationTypes minMax(Operand left, Operand right) const;
  TREADLE_API OperationTypes abs(Operand operand) const;
  /// The float type a math function of these arguments computes in; null where an argument is no real number.
  TREADLE_API const Type *mathFloat(Operand argument) const;
  TREADLE_API const Type *mathFloat(Operand left, Operand right) const;
  /// What math.ceil, floor and trunc return for that argument type (numba: int64; cuda-python: the float type).
  TREADLE_API const Type *roundingResult(Operand argument) const;
  /// The type two values of a variable share where paths meet; null where there is none.
  TREADLE_API const Type *unify(const Type *left, const Type *right) const;
  /// The loop variable's type of range(...) over bounds of these types.
  TREADLE_API const Type *rangeCounter(Operand start, Operand stop, Operand step) const;
  /// The type of a literal that stands alone.
  TREADLE_API const Type *literal(Operand operand) const;
  /// Cost of passing a value of type `from` where a signature wants `to`.
  TREADLE_API static Conversion conversion(const Type *from, const Type *to);
  /// An implicit conversion that a store or a pinned loop variable makes; false: a typing error.
  TREADLE_API bool canStore(const Type *from, const Type *to) const;
  /// A value of `from` may change when it becomes `to` (float to int, wider to narrower).
  TREADLE_API static bool losesInformation(const Type *from, const Type *to);

private:
  RuleSet set;
};

} // namespace treadle
