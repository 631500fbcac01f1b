// NumberRules: the type in which an operation on numbers is computed. Nothing else decides promotion.
#pragma once

#include "support/export.h"
#include "types/type.h"

#include <cstdint>

namespace treadle {

enum class RuleSet : uint8_t { Numba, CudaPython };

/// Operators as Python writes them; NumberRules decides the machine operation of each.
enum class BinaryOperator : uint8_t { Add, Sub, Mul, TrueDiv, FloorDiv, Mod, Pow, LShift, RShift, And, Or, Xor };
enum class UnaryOperator : uint8_t { Negative, Positive, Invert, Not };
enum class CompareOperator : uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

/// A number operand: its type, whether it is a literal that may adopt the other operand's type ("weak"), and the value
/// that decides whether it fits.
struct Operand {
  const Type *type = nullptr;
  bool isLiteral = false;
  int64_t integer = 0; ///< literal ints; a literal beyond int64 has type uint64 and its bits here
  double real = 0;     ///< literal floats
};

/// Both operands are converted to `operand` first; the right one to `count` if that is set (shift counts, integer
/// exponents of floats). If `computed` is set they are then converted to it, and the operation is done in that type.
/// Its result is converted to `result`. `operand` null: the operator is not defined for these types.
struct OperationTypes {
  const Type *operand = nullptr;
  const Type *result = nullptr;
  const Type *count = nullptr;
  const Type *computed = nullptr;
  explicit operator bool() const { return operand != nullptr; }
};

/// How well one type converts to another; lower ranks are better. The order of Numba's overload resolution.
enum class Conversion : uint8_t { Exact, Promote, Safe, Unsafe, None };

/// Pure functions from operand types to operation and result type.
class NumberRules {
public:
  explicit NumberRules(RuleSet set) : set(set) {}
  RuleSet ruleSet() const { return set; }

  TREADLE_API OperationTypes binary(BinaryOperator op, Operand left, Operand right) const;
  TREADLE_API OperationTypes unary(UnaryOperator op, Operand operand) const;
  /// `operand` null if the two are compared exactly as integers of different signedness: both keep their own types.
  TREADLE_API OperationTypes compare(CompareOperator op, Operand left, Operand right) const;
  /// min, max and abs: `abs` of a complex returns the type of its parts.
  TREADLE_API OperationTypes minMax(Operand left, Operand right) const;
  TREADLE_API OperationTypes abs(Operand operand) const;
  /// The float type in which a math function of this argument computes; null if the argument is not a real number.
  TREADLE_API const Type *mathFloat(Operand argument) const;
  TREADLE_API const Type *mathFloat(Operand left, Operand right) const;
  /// The type that math.ceil, floor and trunc return for that argument type (numba: int64; cuda-python: the float
  /// type).
  TREADLE_API const Type *roundingResult(Operand argument) const;
  /// The common type of two values of a variable where paths meet; null if there is none.
  TREADLE_API const Type *unify(const Type *left, const Type *right) const;
  /// The type of the loop variable of range(...) over bounds of these types.
  TREADLE_API const Type *rangeCounter(Operand start, Operand stop, Operand step) const;
  /// The type of a literal on its own.
  TREADLE_API const Type *literal(Operand operand) const;
  /// The cost of passing a value of type `from` for a parameter of type `to`.
  TREADLE_API static Conversion conversion(const Type *from, const Type *to);
  /// Whether a store or a pinned loop variable may convert implicitly; false: a typing error.
  TREADLE_API bool canStore(const Type *from, const Type *to) const;
  /// Whether a value of `from` may change on conversion to `to` (float to int, wider to narrower).
  TREADLE_API static bool losesInformation(const Type *from, const Type *to);

private:
  RuleSet set;
};

} // namespace treadle
