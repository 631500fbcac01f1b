// Unary and binary operators.
#include "infer/expression_rules.h"

#include "infer/fold.h"
#include "infer/operator_text.h"

namespace treadle {

typed::Expr *ValueRules::compute(Operation op, const OperationTypes &types, const Items &operands, SourceSpan span) {
  Items converted;
  for (size_t i = 0; i < operands.size(); ++i) {
    typed::Expr *operand = convert(operands[i], i == 1 && types.count ? types.count : types.operand);
    converted.push_back(types.computed ? convert(operand, types.computed) : operand);
  }
  const bool isPart = op == Operation::Abs && types.operand->isComplex();
  const Type *computed = types.computed ? types.computed : types.operand;
  const Type *result = isComparison(op) || isPart || op == Operation::Not ? types.result : computed;
  typed::Expr *value = foldOperation(nodes, {op, result, span}, converted);
  if (!value)
    value = converted.size() == 1 ? nodes.operation(op, result, {converted[0]}, span)
                                  : nodes.operation(op, result, {converted[0], converted[1]}, span);
  return convert(value, types.result);
}

typed::Expr *ExpressionRules::unary(const syntax::Unary &expression) {
  if (expression.op == UnaryOperator::Not)
    return unaryValue(UnaryOperator::Not, test(*expression.operand), expression.span);
  const syntax::Expr &operand = *expression.operand;
  if (expression.op == UnaryOperator::Negative && operand.kind == syntax::ExprKind::Literal) {
    // -9223372036854775808 is a negative number to Python, though its digits alone do not fit int64.
    const auto &number = operand.as<syntax::Literal>();
    if (number.isUnsigned && number.integer == std::numeric_limits<int64_t>::min()) {
      typed::Const *made = nodes.integer(types::int64(), number.integer, expression.span);
      made->isLiteral = true;
      return made;
    }
  }
  typed::Expr *value = expr(operand);
  const CapturedValue *flags = expression.op == UnaryOperator::Invert ? flagsIn(operand) : nullptr;
  return flags ? otherFlags(*flags, value, expression.span) : unaryValue(expression.op, value, expression.span);
}

typed::Expr *ValueRules::unaryValue(UnaryOperator op, typed::Expr *operand, SourceSpan span) {
  if (op == UnaryOperator::Not) {
    typed::Expr *value = truth(operand);
    return compute(Operation::Not, {types::boolean(), types::boolean()}, {value}, span);
  }
  operand = unwrap(operand);
  if (hasTimes({operand}))
    return applied(op == UnaryOperator::Negative   ? "time.neg"
                   : op == UnaryOperator::Positive ? "time.pos"
                                                   : "time.invert",
                   {operand}, span);
  if (areElementwise({operand}))
    return elementwise(op == UnaryOperator::Negative   ? "operator.neg"
                       : op == UnaryOperator::Positive ? "operator.pos"
                                                       : "operator.invert",
                       {operand}, span);
  OperationTypes types;
  if (operand->type->isNumber())
    types = rules.unary(op, operandOf(*operand));
  if (!types) {
    fail(span, {.kind = CompileErrorKind::Typing,
                .message = "the operator " + std::string(operatorText(op)) + " is not defined for this type",
                .found = operand->type->name(),
                .expected = op == UnaryOperator::Invert ? "an integer" : "a number",
                .remedy = operand->type->isArray() ? "index the array" : ""});
  }
  if (op == UnaryOperator::Positive)
    return convert(operand, types.result);
  return compute(op == UnaryOperator::Negative ? Operation::Neg : Operation::Invert, types, {operand}, span);
}

typed::Expr *ExpressionRules::binary(const syntax::Binary &expression) {
  typed::Expr *left = expr(*expression.left);
  if (expression.isMatMul)
    return product(left, expr(*expression.right), expression.span);
  return binaryValue(expression.op, left, expr(*expression.right), expression.span);
}

static Operation operationOf(BinaryOperator op, const OperationTypes &types) {
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

void ValueRules::failOperands(std::string_view op, const typed::Expr &left, const typed::Expr &right, SourceSpan span) {
  const typed::Expr *wrong = left.type->isNumber() ? &right : &left;
  std::string remedy;
  if (wrong->type->isNone())
    remedy = "a function that returns nothing has no value to use: check that it returns one on every path";
  else if (wrong->type->isArray())
    remedy = "index the array: operators work on its elements, one at a time";
  else if (left.type->isNumber() && right.type->isNumber() && (left.type->isFloat() || right.type->isFloat()))
    remedy = "convert to an integer: int(...)";
  fail(span, {.kind = CompileErrorKind::Typing,
              .message = "the operator " + std::string(op) + " is not defined for these types",
              .found = left.type->name() + " " + std::string(op) + " " + right.type->name(),
              .expected = {},
              .remedy = remedy});
}

/// The operator's row in the table of builtins.
static std::string_view keyOf(BinaryOperator op) {
  for (const Builtin &row : allBuiltins())
    if (row.rule == BuiltinRule::Binary && std::get<BinaryOperator>(row.code) == op &&
        !row.key.starts_with("operator.i"))
      return row.key;
  TREADLE_CHECK(false);
}

typed::Expr *ValueRules::binaryValue(BinaryOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  left = unwrap(left);
  right = unwrap(right);
  if (op == BinaryOperator::Add && left->type->isPlainTuple() && right->type->isPlainTuple())
    return joinTuples(left, right, span);
  if (left->type->isFlags() && left->type == right->type)
    return combineFlags(op, left, right, span);
  if (op == BinaryOperator::Add && left->type->is(TypeKind::String) && right->type->is(TypeKind::String))
    return joinTexts(left, right, span);
  if (areElementwise({left, right}))
    return elementwise(keyOf(op), {left, right}, span);
  if (hasTimes({left, right}))
    return applied("time" + std::string(keyOf(op).substr(keyOf(op).find('.'))), {left, right}, span);
  OperationTypes types;
  if (left->type->isNumber() && right->type->isNumber())
    types = rules.binary(op, operandOf(*left), operandOf(*right));
  if (!types)
    failOperands(operatorText(op), *left, *right, span);
  const bool isDivision = op == BinaryOperator::FloorDiv || op == BinaryOperator::Mod;
  if (isDivision && types.operand->isInteger() && right->kind == typed::ExprKind::Const &&
      right->as<typed::Const>().isLiteral && right->as<typed::Const>().integer == 0) {
    fail(right->span, {.kind = CompileErrorKind::Value,
                       .message = "integer division by zero",
                       .found = {},
                       .expected = "a divisor other than 0",
                       .remedy = {}});
  }
  return compute(operationOf(op, types), types, {left, right}, span);
}

typed::Expr *ValueRules::joinTuples(typed::Expr *left, typed::Expr *right, SourceSpan span) {
  return inBlock(span, [&] {
    Items both{left, right};
    settle(both);
    Items items = itemsOf(both[0]);
    for (typed::Expr *item : itemsOf(both[1]))
      items.push_back(item);
    return makeTuple(items, span);
  });
}

} // namespace treadle
