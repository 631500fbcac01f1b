// Comparisons and their chains; `and` and `or`; tests of branches.
// Python's `and`, `or` and chains decide from left to right and leave the rest unevaluated. Each is a conditional of a
// conditional here, so that only what is needed runs. Where the decision is known while compiling, the rest is not
// typed.
#include "infer/expressions/expressions.h"

namespace treadle {

using syntax::Comparison;

/// `if a and b` asks for truths only, and so needs no common type of a and b, unlike `x = a and b`.
typed::Expr *Expressions::test(const syntax::Expr &expression) {
  if (expression.kind == syntax::ExprKind::Boolean)
    return truthOfBoolean(expression.as<syntax::Boolean>(), 0);
  if (expression.kind == syntax::ExprKind::Unary && expression.as<syntax::Unary>().op == UnaryOperator::Not)
    return operators.unaryValue(UnaryOperator::Not, test(*expression.as<syntax::Unary>().operand), expression.span);
  return operators.truth(expr(expression));
}

/// Where nothing with effects stands before what decides, the test makes no code.
typed::Expr *Expressions::knownTest(const syntax::Expr &test, bool answer) {
  typed::Expr *result = tree.boolean(answer, test.span);
  return parts.statics.isKnownThroughout(test) ? result : tree.after({this->test(test)}, result);
}

/// As in Python, `a and b` is b if a is true, else a; not a bool.
typed::Expr *Expressions::boolean(const syntax::Boolean &expression) { return booleanFrom(expression, 0); }

/// The operands from `position` on. A bool needs no copy where the rest is a bool as well, as it then is its own truth.
/// A first operand without a type, while solving, is left out: it may get one from what follows.
typed::Expr *Expressions::booleanFrom(const syntax::Boolean &expression, size_t position) {
  const syntax::Expr &first = *expression.values[position];
  const SourceSpan span = expression.span;
  if (position + 1 == expression.values.size())
    return expr(first);
  typed::Expr *probe = sideOf([&] { return expr(first); });
  if (!probe)
    return booleanFrom(expression, position + 1);
  if (probe->type->isBool() && probe->kind != typed::ExprKind::Const) {
    typed::Expr *rest = sideOf([&] { return booleanFrom(expression, position + 1); });
    if (rest && rest->type->isBool()) {
      typed::Expr *decided = tree.boolean(!expression.isAnd, span);
      return expression.isAnd ? tree.conditional(probe, rest, decided, span)
                              : tree.conditional(probe, decided, rest, span);
    }
    return tree.inBlock(span, [&] {
      typed::Expr *kept = tree.materialize(probe);
      typed::Expr *self = tree.clone(kept);
      return expression.isAnd ? chosen(kept, rest, self, span) : chosen(kept, self, rest, span);
    });
  }
  return tree.inBlock(span, [&] {
    typed::Expr *kept = typed::hasStorage(probe->type) ? tree.materialize(probe) : tree.spill(probe);
    typed::Expr *condition = operators.truth(tree.clone(kept));
    if (condition->kind == typed::ExprKind::Const)
      return (condition->as<typed::Const>().integer != 0) == expression.isAnd ? booleanFrom(expression, position + 1)
                                                                              : kept;
    typed::Expr *rest = sideOf([&] { return booleanFrom(expression, position + 1); });
    // An Optional that `or` returns is unwrapped: the test has found that it has a value.
    typed::Expr *self = !expression.isAnd ? tree.unwrap(kept) : kept;
    return expression.isAnd ? chosen(condition, rest, self, span) : chosen(condition, self, rest, span);
  });
}

/// Where only the truth matters, the operands need no common type.
typed::Expr *Expressions::truthOfBoolean(const syntax::Boolean &expression, size_t position) {
  typed::Expr *first = test(*expression.values[position]);
  if (position + 1 == expression.values.size())
    return first;
  if (first->kind == typed::ExprKind::Const)
    return (first->as<typed::Const>().integer != 0) == expression.isAnd ? truthOfBoolean(expression, position + 1)
                                                                        : first;
  typed::Expr *rest = truthOfBoolean(expression, position + 1);
  typed::Expr *decided = tree.boolean(!expression.isAnd, expression.span);
  return expression.isAnd ? tree.conditional(first, rest, decided, expression.span)
                          : tree.conditional(first, decided, rest, expression.span);
}

/// `a < b < c` is `a < b and b < c` with b evaluated once.
typed::Expr *Expressions::compare(const syntax::Compare &expression) {
  return compareFrom(expression, 0, expr(*expression.left));
}

/// A list is never equal to a tuple, and is not ordered against one; kernels cannot distinguish them at run time.
void Expressions::checkLists(const syntax::Compare &expression, size_t position) {
  const syntax::Expr &left = position ? *expression.rights[position - 1] : *expression.left;
  const syntax::Expr &right = *expression.rights[position];
  if (flow.isList(left) != flow.isList(right))
    tree.failUnsupported(expression.span, "a list cannot be compared to a tuple: in kernels both are tuples",
                         "write both with parentheses, or both with brackets");
}

/// `left ops[position] ...`: each operand is evaluated once, and none after a comparison that fails.
typed::Expr *Expressions::compareFrom(const syntax::Compare &expression, size_t position, typed::Expr *left) {
  typed::Expr *right = expr(*expression.rights[position]);
  const Comparison op = expression.ops[position];
  if (left->type->isPlainTuple() && right->type->isPlainTuple() && op != Comparison::In && op != Comparison::NotIn)
    checkLists(expression, position);
  if (position + 1 == expression.ops.size())
    return operators.comparison(op, left, right, expression.span);
  return tree.inBlock(expression.span, [&] {
    if (!typed::isSimple(*right)) {
      Items both{left, right};
      tree.settle(both);
      left = tree.materialize(both[0]);
      right = tree.materialize(both[1]);
    }
    typed::Expr *next = tree.clone(right);
    typed::Expr *first = operators.comparison(op, left, right, expression.span);
    if (first->kind == typed::ExprKind::Const && !first->as<typed::Const>().integer)
      return first;
    typed::Expr *rest = tree.inBlock(expression.span, [&] { return compareFrom(expression, position + 1, next); });
    if (first->kind == typed::ExprKind::Const)
      return rest;
    return tree.conditional(first, rest, tree.boolean(false, expression.span), expression.span);
  });
}

} // namespace treadle
