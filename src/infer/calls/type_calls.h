// TypeCalls: compile-time knowledge about values.
#pragma once

#include "infer/calls/arguments.h"
#include "infer/values/values.h"

namespace treadle {

class TypeCalls {
public:
  explicit TypeCalls(Values &values)
      : tree(values.tree), whole(values.whole), members(values.members), operators(values.operators) {}

  typed::Expr *callIsInstance(const Builtin &row, const Arguments &arguments);
  typed::Expr *callTypeOf(const Builtin &row, const Arguments &arguments);
  typed::Expr *callBitcast(const Builtin &row, const Arguments &arguments);
  typed::Expr *callRefuse(const Builtin &row, const Arguments &arguments);
  typed::Expr *callLiterally(const Builtin &row, const Arguments &arguments);
  typed::Expr *callTuple(const Builtin &row, const Arguments &arguments);
  typed::Expr *callConsteval(const Builtin &row, const Arguments &arguments);
  typed::Expr *callLiteralUnroll(const Builtin &row, const Arguments &arguments);

private:
  /// isinstance(value of that type, classes); nullopt if one of the classes is unknown to kernels.
  std::optional<bool> isInstance(const Type *type, const typed::Expr &classes);
  std::optional<bool> isOfClass(const Type *type, const Type *wanted);
  /// For the message, where isInstance() has no answer.
  const Type *enumerationIn(const Type &classes);

  Tree &tree;
  Whole &whole;
  Members &members;
  Operators &operators;
};

} // namespace treadle
