// Assignments: to names, and to tuples of targets.
#pragma once

#include "infer/expressions/expressions.h"
#include "infer/statements/stores.h"

namespace treadle {

class Assignments {
public:
  Assignments(Expressions &expressions, Stores &stores)
      : expressions(expressions), stores(stores), scope(expressions.instance.scope), flow(expressions.instance.flow),
        tree(expressions.instance.tree), sequences(expressions.instance.values.sequences),
        operators(expressions.instance.values.operators), names(expressions.parts.names),
        statics(expressions.parts.statics), functions(expressions.parts.functions) {}

  void assign(const syntax::Assign &statement);
  /// `value` is evaluated before anything in the target.
  void assignTo(const syntax::Expr &target, typed::Expr *value);
  void augment(const syntax::AugAssign &statement);

private:
  /// False if the statement is not such a block, or its values need types that are not known yet.
  bool evaluatesBlock(const syntax::Assign &statement);
  void checkKept(const typed::Expr &value, SourceSpan span);
  /// Fails if there are known to be more or fewer.
  Items unpacked(typed::Expr *value, const syntax::Sequence &targets);
  Items unpackedSeries(typed::Expr *series, size_t count, SourceSpan span);
  void unpack(const syntax::Sequence &targets, typed::Expr *value);
  void augmentNamedArray(typed::Expr *array, const syntax::AugAssign &statement);

  Expressions &expressions;
  Stores &stores;
  const Scope &scope;
  const Flow &flow;
  Tree &tree;
  Sequences &sequences;
  Operators &operators;
  Names &names;
  StaticValues &statics;
  Functions &functions;
};

} // namespace treadle
