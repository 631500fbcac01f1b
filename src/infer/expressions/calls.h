// Calls: calls and their arguments; types, methods, elementwise functions and named tuples as callees.
#pragma once

#include "infer/expressions/parts.h"

namespace treadle {

class Calls {
public:
  Calls(Instance &instance, ExpressionParts &parts)
      : compilation(instance.compilation), flow(instance.flow), tree(instance.tree), whole(instance.whole),
        access(instance.values.access), sequences(instance.values.sequences), builtins(parts.builtins),
        names(parts.names), enumerations(parts.enumerations), attributes(parts.attributes), functions(parts.functions) {
  }

  typed::Expr *call(const syntax::Call &expression);
  /// A call of a value by evaluated arguments.
  typed::Expr *callValue(typed::Expr *callee, Arguments &arguments);
  /// A callee: a nested function itself, which need not become a closure.
  typed::Expr *calleeValue(const syntax::Expr &callee);

private:
  void evaluateArguments(const syntax::Call &call, Arguments &arguments);
  typed::Expr *callElementwise(std::string_view key, size_t operands, Arguments &arguments);
  typed::Expr *callObject(const typed::Expr &callee, const Arguments &arguments);
  /// The resolver's advice on calling such an object.
  void failWithAdvice(const typed::Expr &callee, std::string_view name, SourceSpan span);
  typed::Expr *makeNamedTuple(const Type *classType, const CapturedValue &fields, const Arguments &arguments);

  Compilation &compilation;
  const Flow &flow;
  Tree &tree;
  Whole &whole;
  ArrayAccess &access;
  Sequences &sequences;
  Builtins &builtins;
  Names &names;
  Enumerations &enumerations;
  Attributes &attributes;
  Functions &functions;
};

} // namespace treadle
