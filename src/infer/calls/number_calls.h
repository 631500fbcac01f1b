// NumberCalls: functions of numbers.
#pragma once

#include "infer/calls/arguments.h"
#include "infer/values/values.h"

namespace treadle {

class NumberCalls {
public:
  explicit NumberCalls(Values &values)
      : tree(values.tree), characters(values.characters), sequences(values.sequences), operators(values.operators) {}

  /// `pow(x, y)`.
  typed::Expr *callPower(const Builtin &row, const Arguments &arguments);
  /// `operator.add(x, y)`, `operator.neg(x)`, `operator.lt(x, y)`: as the operators. NumPy's operators are made of
  /// these, too.
  typed::Expr *callBinary(const Builtin &row, const Arguments &arguments);
  typed::Expr *callUnary(const Builtin &row, const Arguments &arguments);
  typed::Expr *callCompare(const Builtin &row, const Arguments &arguments);
  /// `math.sin(x)`, `np.arctan2(y, x)`: real numbers, computed in a float type.
  typed::Expr *callMath(const Builtin &row, const Arguments &arguments);
  /// `math.floor(x)`, `np.ceil(x)`.
  typed::Expr *callRounding(const Builtin &row, const Arguments &arguments);
  /// `math.isnan(x)`, `np.isfinite(x)`.
  typed::Expr *callClassify(const Builtin &row, const Arguments &arguments);
  typed::Expr *callAbs(const Builtin &row, const Arguments &arguments);
  /// `min(a, b)`, `max((a, b, c))`.
  typed::Expr *callMinMax(const Builtin &row, const Arguments &arguments);
  typed::Expr *callRound(const Builtin &row, const Arguments &arguments);
  /// `int(x)`, `float(x)`, `bool(x)`.
  typed::Expr *callConversion(const Builtin &row, const Arguments &arguments);
  typed::Expr *callComplex(const Builtin &row, const Arguments &arguments);
  /// `len(x)` of arrays, tuples, ranges, texts and array expressions.
  typed::Expr *callLength(const Builtin &row, const Arguments &arguments);
  /// For the library: the type in which a math function of these numbers computes.
  typed::Expr *callMathFloat(const Builtin &row, const Arguments &arguments);

private:
  /// As np.result_type for its ufuncs, but float64 for integers alone.
  const Type *numpyFloat(const Items &given);
  typed::Expr *withoutHalf(typed::Expr *value);

  Tree &tree;
  Characters &characters;
  Sequences &sequences;
  Operators &operators;
};

} // namespace treadle
