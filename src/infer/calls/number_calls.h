// NumberCalls: functions of numbers.
#pragma once

#include "infer/calls/arguments.h"
#include "infer/values/values.h"

namespace treadle {

class NumberCalls {
public:
  explicit NumberCalls(Values &values)
      : tree(values.tree), characters(values.characters), sequences(values.sequences), operators(values.operators) {}

  typed::Expr *callPower(const Builtin &row, const Arguments &arguments);
  typed::Expr *callBinary(const Builtin &row, const Arguments &arguments);
  typed::Expr *callUnary(const Builtin &row, const Arguments &arguments);
  typed::Expr *callCompare(const Builtin &row, const Arguments &arguments);
  typed::Expr *callMath(const Builtin &row, const Arguments &arguments);
  typed::Expr *callRounding(const Builtin &row, const Arguments &arguments);
  typed::Expr *callClassify(const Builtin &row, const Arguments &arguments);
  typed::Expr *callAbs(const Builtin &row, const Arguments &arguments);
  typed::Expr *callMinMax(const Builtin &row, const Arguments &arguments);
  typed::Expr *callRound(const Builtin &row, const Arguments &arguments);
  typed::Expr *callConversion(const Builtin &row, const Arguments &arguments);
  typed::Expr *callComplex(const Builtin &row, const Arguments &arguments);
  typed::Expr *callLength(const Builtin &row, const Arguments &arguments);
  typed::Expr *callMathFloat(const Builtin &row, const Arguments &arguments);

private:
  const Type *numpyFloat(const Items &given);
  typed::Expr *withoutHalf(typed::Expr *value);

  Tree &tree;
  Characters &characters;
  Sequences &sequences;
  Operators &operators;
};

} // namespace treadle
