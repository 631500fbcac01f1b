// Comparisons and their chains; `and` and `or`; `is` and `in`.
#include "infer/expression_rules.h"

#include "infer/operator_text.h"

#include <algorithm>
#include <compare>

namespace treadle {

using syntax::Comparison;

/// As in Python, `a and b` is b if a is true, else a; not a bool.
typed::Expr *ExpressionRules::boolean(const syntax::Boolean &expression) { return booleanFrom(expression, 0); }

typed::Expr *ExpressionRules::booleanFrom(const syntax::Boolean &expression, size_t position) {
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
      typed::Expr *decided = nodes.boolean(!expression.isAnd, span);
      return expression.isAnd ? nodes.conditional(probe, rest, decided, span)
                              : nodes.conditional(probe, decided, rest, span);
    }
    return inBlock(span, [&] {
      typed::Expr *kept = materialize(probe);
      typed::Expr *self = clone(kept);
      return expression.isAnd ? chosen(kept, rest, self, span) : chosen(kept, self, rest, span);
    });
  }
  return inBlock(span, [&] {
    typed::Expr *kept = typed::hasStorage(probe->type) ? materialize(probe) : spill(probe);
    typed::Expr *condition = truth(clone(kept));
    if (condition->kind == typed::ExprKind::Const)
      return (condition->as<typed::Const>().integer != 0) == expression.isAnd ? booleanFrom(expression, position + 1)
                                                                              : kept;
    typed::Expr *rest = sideOf([&] { return booleanFrom(expression, position + 1); });
    // An Optional that `or` returns is unwrapped: the test has found that it has a value.
    typed::Expr *self = !expression.isAnd ? unwrap(kept) : kept;
    return expression.isAnd ? chosen(condition, rest, self, span) : chosen(condition, self, rest, span);
  });
}

/// Where only the truth matters, the operands need no common type.
typed::Expr *ExpressionRules::truthOfBoolean(const syntax::Boolean &expression, size_t position) {
  typed::Expr *first = test(*expression.values[position]);
  if (position + 1 == expression.values.size())
    return first;
  if (first->kind == typed::ExprKind::Const)
    return (first->as<typed::Const>().integer != 0) == expression.isAnd ? truthOfBoolean(expression, position + 1)
                                                                        : first;
  typed::Expr *rest = truthOfBoolean(expression, position + 1);
  typed::Expr *decided = nodes.boolean(!expression.isAnd, expression.span);
  return expression.isAnd ? nodes.conditional(first, rest, decided, expression.span)
                          : nodes.conditional(first, decided, rest, expression.span);
}

typed::Expr *ExpressionRules::compare(const syntax::Compare &expression) {
  return compareFrom(expression, 0, expr(*expression.left));
}

/// `left ops[position] ...`: each operand is evaluated once, and none after a comparison that fails.
typed::Expr *ExpressionRules::compareFrom(const syntax::Compare &expression, size_t position, typed::Expr *left) {
  typed::Expr *right = expr(*expression.rights[position]);
  const Comparison op = expression.ops[position];
  if (position + 1 == expression.ops.size())
    return comparison(op, left, right, expression.span);
  return inBlock(expression.span, [&] {
    if (!typed::isSimple(*right)) {
      Items both{left, right};
      settle(both);
      left = materialize(both[0]);
      right = materialize(both[1]);
    }
    typed::Expr *next = clone(right);
    typed::Expr *first = comparison(op, left, right, expression.span);
    if (first->kind == typed::ExprKind::Const && !first->as<typed::Const>().integer)
      return first;
    typed::Expr *rest = inBlock(expression.span, [&] { return compareFrom(expression, position + 1, next); });
    if (first->kind == typed::ExprKind::Const)
      return rest;
    return nodes.conditional(first, rest, nodes.boolean(false, expression.span), expression.span);
  });
}

typed::Expr *ValueRules::comparison(Comparison op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  switch (op) {
  case Comparison::Is:
    return isSame(left, right, span);
  case Comparison::IsNot:
    return unaryValue(UnaryOperator::Not, isSame(left, right, span), span);
  case Comparison::In:
    return contains(right, left, span);
  case Comparison::NotIn:
    return unaryValue(UnaryOperator::Not, contains(right, left, span), span);
  default:
    return compareValues(static_cast<CompareOperator>(op), left, right, span);
  }
}

static Operation operationOf(CompareOperator op) {
  switch (op) {
  case CompareOperator::Equal:
    return Operation::Eq;
  case CompareOperator::NotEqual:
    return Operation::Ne;
  case CompareOperator::Less:
    return Operation::Lt;
  case CompareOperator::LessEqual:
    return Operation::Le;
  case CompareOperator::Greater:
    return Operation::Gt;
  case CompareOperator::GreaterEqual:
    return Operation::Ge;
  }
  TREADLE_CHECK(false);
}

/// What Python finds different from any text.
static bool isNoText(const Type &type) { return type.isNumber() || type.isPlainTuple(); }

/// Not of arrays, which are compared element by element.
static bool isOptionalValue(const Type &type) { return type.isOptional() && !type.element()->isArray(); }

static bool isEquality(CompareOperator op) { return op == CompareOperator::Equal || op == CompareOperator::NotEqual; }

typed::Expr *ValueRules::compareValues(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  if (isEquality(op)) {
    checkEquality(*left, *right);
    if (left->type->isNone() || right->type->isNone()) {
      typed::Expr *same = isSame(left, right, span);
      return op == CompareOperator::Equal ? same : unaryValue(UnaryOperator::Not, same, span);
    }
    if ((isOptionalValue(*left->type) || isOptionalValue(*right->type)) && !areElementwise({left, right}))
      return equalOptionals(op, left, right, span);
  }
  left = unwrap(left);
  right = unwrap(right);
  const Type *first = left->type, *second = right->type;
  if (first->isMember() || second->isMember())
    return compareMembers(op, left, right, span);
  if (first->isPlainTuple() && second->isPlainTuple())
    return isEquality(op) ? compareTuples(op, left, right, span) : orderTuples(op, left, right, span);
  if (isEquality(op) && !first->isRuntime() && first->kind() == second->kind())
    return after({left, right}, nodes.boolean((first == second) == (op == CompareOperator::Equal), span));
  if (typed::Expr *ofTexts = compareAnyTexts(op, left, right, span))
    return ofTexts;
  return compareNumbers(op, left, right, span);
}

/// None is equal to nothing else, whatever is where its value would be.
typed::Expr *ValueRules::equalOptionals(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  return inBlock(span, [&] {
    Items both{left, right};
    settle(both, Settled::Optional);
    const auto has = [&](typed::Expr *&value) {
      value = materialize(value);
      return value->type->isOptional() ? nodes.operation(Operation::HasValue, types::boolean(), {clone(value)}, span)
                                       : nodes.boolean(true, span);
    };
    typed::Expr *hasLeft = materialize(has(both[0])), *hasRight = materialize(has(both[1]));
    typed::Expr *haveBoth = nodes.operation(Operation::BitAnd, types::boolean(), {hasLeft, hasRight}, span);
    typed::Expr *none = nodes.operation(op == CompareOperator::Equal ? Operation::Eq : Operation::Ne, types::boolean(),
                                        {clone(hasLeft), clone(hasRight)}, span);
    return nodes.conditional(haveBoth, compareValues(op, unwrap(both[0]), unwrap(both[1]), span), none, span);
  });
}

/// nullptr: neither is a text, or what the other is has rules of its own.
typed::Expr *ValueRules::compareAnyTexts(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  const Type &first = *left->type, &second = *right->type;
  if (first.is(TypeKind::String) && second.is(TypeKind::String))
    return after({left, right}, compareTexts(op, first, second, span));
  const bool areTexts = isText(first) && isText(second);
  if (areTexts && isUnicode(first) == isUnicode(second))
    return compareCharacters(op, left, right, span);
  const bool isOneText = (isText(first) && isNoText(second)) || (isNoText(first) && isText(second));
  if (isEquality(op) && (areTexts || isOneText))
    return after({left, right}, nodes.boolean(op == CompareOperator::NotEqual, span));
  return nullptr;
}

/// Of numbers, dates, and arrays of what can be compared. All else is an error.
typed::Expr *ValueRules::compareNumbers(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  constexpr std::string_view names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  const std::string name(names[size_t(op)]);
  if (areElementwise({left, right}))
    return elementwise("operator." + name, {left, right}, span);
  if (hasTimes({left, right}))
    return applied("time." + name, {left, right}, span);
  if (!left->type->isNumber() || !right->type->isNumber())
    failOperands(operatorText(op), *left, *right, span);
  const OperationTypes types = rules.compare(op, operandOf(*left), operandOf(*right));
  if (!types.result)
    failOperands(operatorText(op), *left, *right, span);
  if (types.operand)
    return compute(operationOf(op), types, {left, right}, span);
  return nodes.operation(operationOf(op), types::boolean(), {left, right}, span);
}

typed::Expr *ValueRules::compareTuples(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  const bool wantsEqual = op == CompareOperator::Equal;
  if (left->type->items().size() != right->type->items().size())
    return after({left, right}, nodes.boolean(!wantsEqual, span));
  return inBlock(span, [&] {
    // The comparison ends at the first difference; both sides are evaluated before it begins.
    Items both{left, right};
    settle(both, Settled::Optional);
    Items first = itemsOf(both[0]), second = itemsOf(both[1]);
    typed::Expr *all = nodes.boolean(true, span);
    for (size_t i = first.size(); i-- > 0;) {
      typed::Expr *same = compareValues(CompareOperator::Equal, first[i], second[i], span);
      all = nodes.conditional(same, all, nodes.boolean(false, span), span);
    }
    return wantsEqual ? all : unaryValue(UnaryOperator::Not, all, span);
  });
}

/// The first difference decides; without one, the lengths do.
typed::Expr *ValueRules::orderTuples(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  return inBlock(span, [&] {
    Items both{left, right};
    settle(both, Settled::Optional);
    Items first = itemsOf(both[0]), second = itemsOf(both[1]);
    const size_t common = std::min(first.size(), second.size());
    for (size_t i = 0; i < common; ++i) {
      first[i] = materialize(first[i]);
      second[i] = materialize(second[i]);
    }
    const auto byLength = first.size() <=> second.size();
    const bool answers[] = {byLength == 0, byLength != 0, byLength < 0, byLength <= 0, byLength > 0, byLength >= 0};
    typed::Expr *decided = nodes.boolean(answers[size_t(op)], span);
    for (size_t i = common; i-- > 0;) {
      typed::Expr *same = compareValues(CompareOperator::Equal, clone(first[i]), clone(second[i]), span);
      if (same->kind == typed::ExprKind::Const && same->as<typed::Const>().integer)
        continue; // as of None and None, which have no order
      decided = nodes.conditional(same, decided, compareValues(op, first[i], second[i], span), span);
    }
    return decided;
  });
}

typed::Expr *ValueRules::isSame(typed::Expr *left, typed::Expr *right, SourceSpan span) {
  if (!left->type->isNone() && !right->type->isNone()) {
    if (!left->type->isRuntime() && !right->type->isRuntime())
      return after({left, right}, nodes.boolean(left->type == right->type, span));
    if ((left->type->isBool() && right->type->isBool()) || left->type->isMember() || right->type->isMember())
      return compareValues(CompareOperator::Equal, left, right, span);
    failUnsupported(span, "'is' works only with None: kernels have no objects", "compare with ==");
  }
  return inBlock(span, [&]() -> typed::Expr * {
    Items both{left, right};
    settle(both, Settled::Optional);
    typed::Expr *value = left->type->isNone() ? both[1] : both[0];
    if (value->type->isOptional()) {
      typed::Expr *hasValue = nodes.operation(Operation::HasValue, types::boolean(), {value}, span);
      return unaryValue(UnaryOperator::Not, hasValue, span);
    }
    emitValue(value, span);
    return nodes.boolean(value->type->isNone(), span);
  });
}

typed::Expr *ValueRules::contains(typed::Expr *container, typed::Expr *value, SourceSpan span) {
  if (container->type->is(Series::Range) && value->type->isInteger()) {
    Items both{value, container};
    settle(both);
    return isInRange(both[1], both[0], span);
  }
  if (container->type->is(TypeKind::String) && value->type->is(TypeKind::String))
    return after({value, container},
                 nodes.boolean(container->type->text().find(value->type->text()) != std::string_view::npos, span));
  if (isText(*container->type) && isText(*value->type) && isUnicode(*container->type) == isUnicode(*value->type)) {
    Items both{value, container};
    settle(both);
    return hasPart(both[1], both[0], PartPlace::Any, span);
  }
  if (!container->type->isPlainTuple())
    failTyping(span, "'in' needs a tuple on its right, not " + container->type->name(),
               container->type->isArray() ? "compare the elements in a loop" : "");
  return inBlock(span, [&] {
    Items both{value, container};
    settle(both, Settled::Optional);
    Items items = itemsOf(both[1]);
    value = materialize(both[0]);
    typed::Expr *any = nodes.boolean(false, span);
    for (size_t i = items.size(); i-- > 0;) {
      typed::Expr *same = compareValues(CompareOperator::Equal, clone(value), items[i], span);
      if (same->kind == typed::ExprKind::Const)
        any = same->as<typed::Const>().integer ? same : any;
      else
        any = nodes.conditional(same, nodes.boolean(true, span), any, span);
    }
    return any;
  });
}

} // namespace treadle
