// Truth, and unary and binary operators.
#include "infer/values/operators.h"
#include "builtins/builtin.h"
#include "infer/tree/fold.h"
#include "infer/tree/operator_text.h"

#include <algorithm>

namespace treadle {

/// `if x:` for any x, by Python's rules: numbers other than 0, texts and tuples that are not empty, ranges with items,
/// Optionals whose value is there and true. What is known by its type alone is still evaluated. NumPy has a truth of
/// arrays with one element; whether there is one is not known here, so all are refused.
typed::Expr *Operators::truth(typed::Expr *value) {
  const Type *type = value->type;
  const SourceSpan span = value->span;
  if (type->isNumber())
    return tree.convert(value, types::boolean());
  if (type->is(Series::Time))
    return whole.applied("time.bool", {value}, span);
  if (type->isFlags())
    return tree.inBlock(span, [&] { return truth(members.valueOfMember(value, span)); });
  if (type->is(Series::Text))
    return characters.isNotEmpty(value, span);
  if (type->isArray() || type->is(Series::Elementwise)) {
    tree.fail(span, {.kind = CompileErrorKind::Typing,
                     .message = "an array has no truth value",
                     .found = type->name(),
                     .expected = "a number or a condition",
                     .remedy = "test its length or an element: len(a) > 0, a[i] != 0"});
  }
  if (type->isOptional()) {
    return tree.inBlock(span, [&] {
      typed::Expr *kept = tree.materialize(value);
      typed::Expr *hasValue = tree.test(Operation::HasValue, {tree.clone(kept)}, span);
      return tree.conditional(hasValue, truth(tree.unwrap(kept)), tree.boolean(false, span), span);
    });
  }
  if (type->is(Series::Range)) {
    return tree.inBlock(span, [&] {
      typed::Expr *count = sequences.countOf(*sequences.settledSeries(value), span);
      return tree.test(Operation::Gt, {count, tree.index(0, span)}, span);
    });
  }
  members.checkTruth(*value);
  const bool isTrue = type->isTuple()              ? !type->isPlainTuple() || !type->items().empty()
                      : type->is(TypeKind::String) ? !type->text().empty()
                                                   : !type->isNone();
  return tree.inBlock(span, [&] {
    tree.emitValue(value, span);
    return tree.boolean(isTrue, span);
  });
}

/// The steps of OperationTypes: operands to the common type (the count of a shift, or an integer exponent, to its own),
/// then to the type in which is computed (float16 in float32), the operation or its folded value, then the result's
/// type. So `-x` of a uint8 wraps in 8 bits, and is widened afterwards. Comparisons and abs() of complex numbers have
/// another result than their operands.
typed::Expr *Operators::compute(Operation op, const OperationTypes &types, const Items &operands, SourceSpan span) {
  Items converted;
  for (size_t i = 0; i < operands.size(); ++i) {
    typed::Expr *operand = tree.convert(operands[i], i == 1 && types.count ? types.count : types.operand);
    converted.push_back(types.computed ? tree.convert(operand, types.computed) : operand);
  }
  const bool isPart = op == Operation::Abs && types.operand->isComplex();
  const Type *computed = types.computed ? types.computed : types.operand;
  const Type *result = isComparison(op) || isPart || op == Operation::Not ? types.result : computed;
  typed::Expr *value = foldOperation(tree, {op, result, span}, converted);
  if (!value)
    value = converted.size() == 1 ? tree.operation(op, result, {converted[0]}, span)
                                  : tree.operation(op, result, {converted[0], converted[1]}, span);
  return tree.convert(value, types.result);
}

/// `+x` is no operation, but may widen the type. `~` of floats is an error, as in Python.
typed::Expr *Operators::unaryValue(UnaryOperator op, typed::Expr *operand, SourceSpan span) {
  if (op == UnaryOperator::Not) {
    typed::Expr *value = truth(operand);
    return compute(Operation::Not, {types::boolean(), types::boolean()}, {value}, span);
  }
  operand = tree.unwrap(operand);
  if (hasTimes({operand}))
    return whole.applied(op == UnaryOperator::Negative   ? "time.neg"
                         : op == UnaryOperator::Positive ? "time.pos"
                                                         : "time.invert",
                         {operand}, span);
  if (areElementwise({operand}))
    return sequences.elementwise(op == UnaryOperator::Negative   ? "operator.neg"
                                 : op == UnaryOperator::Positive ? "operator.pos"
                                                                 : "operator.invert",
                                 {operand}, span);
  OperationTypes types;
  if (operand->type->isNumber())
    types = rules.unary(op, operandOf(*operand));
  if (!types) {
    tree.fail(span, {.kind = CompileErrorKind::Typing,
                     .message = "the operator " + std::string(operatorText(op)) + " is not defined for this type",
                     .found = operand->type->name(),
                     .expected = op == UnaryOperator::Invert ? "an integer" : "a number",
                     .remedy = operand->type->isArray() ? "index the array" : ""});
  }
  if (op == UnaryOperator::Positive)
    return tree.convert(operand, types.result);
  return compute(op == UnaryOperator::Negative ? Operation::Neg : Operation::Invert, types, {operand}, span);
}

namespace {

/// `x ** 2` of a float with an integer exponent is an operation of its own, by multiplication.
Operation operationOf(BinaryOperator op, const OperationTypes &types) {
  switch (op) {
  case BinaryOperator::Add:
    return Operation::Add;
  case BinaryOperator::Sub:
    return Operation::Sub;
  case BinaryOperator::Mul:
    return Operation::Mul;
  case BinaryOperator::TrueDiv:
    return Operation::TrueDiv;
  case BinaryOperator::FloorDiv:
    return Operation::FloorDiv;
  case BinaryOperator::Mod:
    return Operation::Mod;
  case BinaryOperator::Pow:
    return types.count ? Operation::PowInt : Operation::Pow;
  case BinaryOperator::LShift:
    return Operation::Shl;
  case BinaryOperator::RShift:
    return Operation::Shr;
  case BinaryOperator::And:
    return Operation::BitAnd;
  case BinaryOperator::Or:
    return Operation::BitOr;
  case BinaryOperator::Xor:
    return Operation::BitXor;
  }
  return Operation::Add;
}

/// The operator's row in the table of builtins.
/// Array expressions and dates are named by it; the rows "operator.i..." are those of `+=` and its like.
std::string_view keyOf(BinaryOperator op) {
  for (const Builtin &row : allBuiltins())
    if (row.rule == BuiltinRule::Binary && std::get<BinaryOperator>(row.code) == op &&
        !row.key.starts_with("operator.i"))
      return row.key;
  TREADLE_CHECK(false);
}

} // namespace

/// The first kind of operands that fits decides. A literal 0 as an integer divisor is an error at once; of other
/// constants and variables it is left to run time, where only debug kernels check.
typed::Expr *Operators::binaryValue(BinaryOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  left = tree.unwrap(left);
  right = tree.unwrap(right);
  if (op == BinaryOperator::Add && left->type->isPlainTuple() && right->type->isPlainTuple())
    return joinTuples(left, right, span);
  if (left->type->isFlags() && left->type == right->type)
    return members.combineFlags(op, left, right, span);
  if (op == BinaryOperator::Add && left->type->is(TypeKind::String) && right->type->is(TypeKind::String))
    return joinTexts(left, right, span);
  if (areElementwise({left, right}))
    return sequences.elementwise(keyOf(op), {left, right}, span);
  if (hasTimes({left, right}))
    return whole.applied("time" + std::string(keyOf(op).substr(keyOf(op).find('.'))), {left, right}, span);
  OperationTypes types;
  if (left->type->isNumber() && right->type->isNumber())
    types = rules.binary(op, operandOf(*left), operandOf(*right));
  if (!types)
    tree.failOperands(operatorText(op), *left, *right, span);
  const bool isDivision = op == BinaryOperator::FloorDiv || op == BinaryOperator::Mod;
  if (isDivision && types.operand->isInteger() && right->kind == typed::ExprKind::Const &&
      right->as<typed::Const>().isLiteral && right->as<typed::Const>().integer == 0) {
    tree.fail(
        right->span,
        {.kind = CompileErrorKind::Value, .message = "integer division by zero", .expected = "a divisor other than 0"});
  }
  return compute(operationOf(op, types), types, {left, right}, span);
}

/// `(1, 2) + t`: a new tuple of the items of both.
typed::Expr *Operators::joinTuples(typed::Expr *left, typed::Expr *right, SourceSpan span) {
  return tree.inBlock(span, [&] {
    Items both{left, right};
    tree.settle(both);
    Items items = tree.itemsOf(both[0]);
    for (typed::Expr *item : tree.itemsOf(both[1]))
      items.push_back(item);
    return tree.makeTuple(items, span);
  });
}

/// Only texts known while compiling: of others, where the second begins would be known only at run time.
typed::Expr *Operators::joinTexts(typed::Expr *left, typed::Expr *right, SourceSpan span) {
  const std::string text = std::string(left->type->text()) + std::string(right->type->text());
  return tree.after({left, right}, tree.unit(types::string(text), span));
}

/// The common type of two values; under the cuda-python rules, a literal adopts the type of the other.
/// `x if test else 0` with an int8 x stays int8 under these rules, as `x + 0` would.
const Type *Operators::unifyOperands(const typed::Expr &left, const typed::Expr &right) const {
  if (rules.ruleSet() == RuleSet::CudaPython && left.type->isNumber() && right.type->isNumber()) {
    const Operand first = operandOf(left), second = operandOf(right);
    if (first.isLiteral != second.isLiteral) {
      const Type *type = first.isLiteral ? second.type : first.type;
      if (rules.binary(BinaryOperator::Add, first, second).operand == type && !type->isBool())
        return type;
    }
  }
  return rules.unify(left.type, right.type);
}

bool hasTimes(const Items &operands) {
  return std::any_of(operands.begin(), operands.end(), [](auto *one) { return one->type->is(Series::Time); });
}

} // namespace treadle
