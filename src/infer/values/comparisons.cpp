// Comparisons of typed values; `is` and `in`.
#include "infer/tree/known_text.h"
#include "infer/tree/operator_text.h"
#include "infer/values/operators.h"

#include <algorithm>
#include <compare>

namespace treadle {

/// The six operators that compare have the same numbers in both enumerations. `not in` and `is not` are negations in
/// Python, too, unlike `!=`, which is an operation of its own: NaN != NaN.
typed::Expr *Operators::comparison(syntax::Comparison op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  switch (op) {
  case syntax::Comparison::Is:
    return isSame(left, right, span);
  case syntax::Comparison::IsNot:
    return unaryValue(UnaryOperator::Not, isSame(left, right, span), span);
  case syntax::Comparison::In:
    return contains(right, left, span);
  case syntax::Comparison::NotIn:
    return unaryValue(UnaryOperator::Not, contains(right, left, span), span);
  default:
    return compareValues(static_cast<CompareOperator>(op), left, right, span);
  }
}

namespace {

Operation operationOf(CompareOperator op) {
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

/// Values that Python finds different from any text.
/// `"1" == 1` and `"" == ()` are False, not errors.
bool isNoText(const Type &type) { return type.isNumber() || type.isPlainTuple(); }

/// Not for arrays, which are compared elementwise.
bool isOptionalValue(const Type &type) { return type.isOptional() && !type.element()->isArray(); }

/// Equality is defined for values of any types in Python; order is not.
bool isEquality(CompareOperator op) { return op == CompareOperator::Equal || op == CompareOperator::NotEqual; }

} // namespace

/// From the special to the general: None equals None alone; an Optional may be None; then members, tuples, what is
/// known by its type (functions, dtypes), texts, and numbers last. For an order, an Optional is taken for its value.
typed::Expr *Operators::compareValues(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  if (isEquality(op)) {
    members.checkEquality(*left, *right);
    if (left->type->isNone() || right->type->isNone()) {
      typed::Expr *same = isSame(left, right, span);
      return op == CompareOperator::Equal ? same : unaryValue(UnaryOperator::Not, same, span);
    }
    if ((isOptionalValue(*left->type) || isOptionalValue(*right->type)) && !areElementwise({left, right}))
      return equalOptionals(op, left, right, span);
  }
  left = tree.unwrap(left);
  right = tree.unwrap(right);
  const Type *first = left->type, *second = right->type;
  if (first->isMember() || second->isMember())
    return members.compareMembers(op, left, right, span);
  if (first->isPlainTuple() && second->isPlainTuple())
    return isEquality(op) ? compareTuples(op, left, right, span) : orderTuples(op, left, right, span);
  if (isEquality(op) && !first->isRuntime() && first->kind() == second->kind())
    return tree.after({left, right}, tree.boolean((first == second) == (op == CompareOperator::Equal), span));
  if (typed::Expr *ofTexts = compareAnyTexts(op, left, right, span))
    return ofTexts;
  return compareNumbers(op, left, right, span);
}

/// None is equal to nothing else, whatever its value bits contain.
/// `x == y` of two Optionals: if both have values these are compared, else they are equal if neither has one.
typed::Expr *Operators::equalOptionals(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  return tree.inBlock(span, [&] {
    Items both{left, right};
    tree.settle(both, Settled::Optional);
    const auto has = [&](typed::Expr *&value) {
      value = tree.materialize(value);
      return value->type->isOptional() ? tree.test(Operation::HasValue, {tree.clone(value)}, span)
                                       : tree.boolean(true, span);
    };
    typed::Expr *hasLeft = tree.materialize(has(both[0])), *hasRight = tree.materialize(has(both[1]));
    typed::Expr *haveBoth = tree.test(Operation::BitAnd, {hasLeft, hasRight}, span);
    typed::Expr *none = tree.test(op == CompareOperator::Equal ? Operation::Eq : Operation::Ne,
                                  {tree.clone(hasLeft), tree.clone(hasRight)}, span);
    return tree.conditional(haveBoth, compareValues(op, tree.unwrap(both[0]), tree.unwrap(both[1]), span), none, span);
  });
}

/// nullptr: neither is a text, or the other operand has rules of its own.
/// A text and bytes are never equal; neither is a text equal to a number or a tuple. In an order such pairs are errors.
typed::Expr *Operators::compareAnyTexts(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  const Type &first = *left->type, &second = *right->type;
  if (first.is(TypeKind::String) && second.is(TypeKind::String))
    return tree.after({left, right}, tree.boolean(holdsOfTexts(op, first.text(), second.text()), span));
  const bool areTexts = isText(first) && isText(second);
  if (areTexts && isUnicode(first) == isUnicode(second))
    return characters.compareCharacters(op, left, right, span);
  const bool isOneText = (isText(first) && isNoText(second)) || (isNoText(first) && isText(second));
  if (isEquality(op) && (areTexts || isOneText))
    return tree.after({left, right}, tree.boolean(op == CompareOperator::NotEqual, span));
  return nullptr;
}

/// For numbers, dates, and arrays of comparable elements. Anything else is an error.
/// No `operand`: integers of different signs, which the generators compare exactly, each in its own type.
typed::Expr *Operators::compareNumbers(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  constexpr std::string_view names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  const std::string name(names[size_t(op)]);
  if (areElementwise({left, right}))
    return sequences.elementwise("operator." + name, {left, right}, span);
  if (hasTimes({left, right}))
    return whole.applied("time." + name, {left, right}, span);
  if (!left->type->isNumber() || !right->type->isNumber())
    tree.failOperands(operatorText(op), *left, *right, span);
  const OperationTypes types = rules.compare(op, operandOf(*left), operandOf(*right));
  if (!types.result)
    tree.failOperands(operatorText(op), *left, *right, span);
  if (types.operand)
    return compute(operationOf(op), types, {left, right}, span);
  return tree.test(operationOf(op), {left, right}, span);
}

/// Tuples of different lengths are unequal without comparing items, but are evaluated. The conditionals are nested from
/// the last item outwards, so that the first difference ends the comparison, as in Python.
typed::Expr *Operators::compareTuples(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  const bool wantsEqual = op == CompareOperator::Equal;
  if (left->type->items().size() != right->type->items().size())
    return tree.after({left, right}, tree.boolean(!wantsEqual, span));
  return tree.inBlock(span, [&] {
    // The comparison ends at the first difference; both sides are evaluated before it starts.
    Items both{left, right};
    tree.settle(both, Settled::Optional);
    Items first = tree.itemsOf(both[0]), second = tree.itemsOf(both[1]);
    typed::Expr *all = tree.boolean(true, span);
    for (size_t i = first.size(); i-- > 0;) {
      typed::Expr *same = compareValues(CompareOperator::Equal, first[i], second[i], span);
      all = tree.conditional(same, all, tree.boolean(false, span), span);
    }
    return wantsEqual ? all : unaryValue(UnaryOperator::Not, all, span);
  });
}

/// The first difference decides; otherwise, the lengths do.
/// `(a, i) < (b, j)`: items are asked for equality first, as in Python, and only then for their order.
typed::Expr *Operators::orderTuples(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  return tree.inBlock(span, [&] {
    Items both{left, right};
    tree.settle(both, Settled::Optional);
    Items first = tree.itemsOf(both[0]), second = tree.itemsOf(both[1]);
    const size_t common = std::min(first.size(), second.size());
    for (size_t i = 0; i < common; ++i) {
      first[i] = tree.materialize(first[i]);
      second[i] = tree.materialize(second[i]);
    }
    const auto byLength = first.size() <=> second.size();
    const bool answers[] = {byLength == 0, byLength != 0, byLength<0, byLength <= 0, byLength> 0, byLength >= 0};
    typed::Expr *decided = tree.boolean(answers[size_t(op)], span);
    for (size_t i = common; i-- > 0;) {
      typed::Expr *same = compareValues(CompareOperator::Equal, tree.clone(first[i]), tree.clone(second[i]), span);
      if (same->kind == typed::ExprKind::Const && same->as<typed::Const>().integer)
        continue; // as with None and None, which are not ordered
      decided = tree.conditional(same, decided, compareValues(op, first[i], second[i], span), span);
    }
    return decided;
  });
}

/// Kernels have no objects, so identity is defined only where it agrees with equality: None, bools, members of
/// enumerations, and what is known by its type, such as `x.dtype is t`.
typed::Expr *Operators::isSame(typed::Expr *left, typed::Expr *right, SourceSpan span) {
  if (!left->type->isNone() && !right->type->isNone()) {
    if (!left->type->isRuntime() && !right->type->isRuntime())
      return tree.after({left, right}, tree.boolean(left->type == right->type, span));
    if ((left->type->isBool() && right->type->isBool()) || left->type->isMember() || right->type->isMember())
      return compareValues(CompareOperator::Equal, left, right, span);
    tree.failUnsupported(span, "'is' works only with None: kernels have no objects", "compare with ==");
  }
  return tree.inBlock(span, [&]() -> typed::Expr * {
    Items both{left, right};
    tree.settle(both, Settled::Optional);
    typed::Expr *value = left->type->isNone() ? both[1] : both[0];
    if (value->type->isOptional()) {
      typed::Expr *hasValue = tree.test(Operation::HasValue, {value}, span);
      return unaryValue(UnaryOperator::Not, hasValue, span);
    }
    tree.emitValue(value, span);
    return tree.boolean(value->type->isNone(), span);
  });
}

/// `value in container`: Python evaluates the value first. Of a tuple, a comparison with an item that is known to be
/// equal makes the later items irrelevant; items of other kinds are unequal, not errors.
typed::Expr *Operators::contains(typed::Expr *container, typed::Expr *value, SourceSpan span) {
  if (container->type->is(Series::Range) && value->type->isInteger()) {
    Items both{value, container};
    tree.settle(both);
    return sequences.isInRange(both[1], both[0], span);
  }
  if (container->type->is(TypeKind::String) && value->type->is(TypeKind::String))
    return tree.after({value, container},
                      tree.boolean(container->type->text().find(value->type->text()) != std::string_view::npos, span));
  if (isText(*container->type) && isText(*value->type) && isUnicode(*container->type) == isUnicode(*value->type)) {
    Items both{value, container};
    tree.settle(both);
    return characters.hasPart(both[1], both[0], Characters::PartPlace::Any, span);
  }
  if (!container->type->isPlainTuple())
    tree.failTyping(span, "'in' needs a tuple on its right, not " + container->type->name(),
                    container->type->isArray() ? "compare the elements in a loop" : "");
  return tree.inBlock(span, [&] {
    Items both{value, container};
    tree.settle(both, Settled::Optional);
    Items items = tree.itemsOf(both[1]);
    value = tree.materialize(both[0]);
    typed::Expr *any = tree.boolean(false, span);
    for (size_t i = items.size(); i-- > 0;) {
      typed::Expr *same = compareValues(CompareOperator::Equal, tree.clone(value), items[i], span);
      if (same->kind == typed::ExprKind::Const)
        any = same->as<typed::Const>().integer ? same : any;
      else
        any = tree.conditional(same, tree.boolean(true, span), any, span);
    }
    return any;
  });
}

} // namespace treadle
