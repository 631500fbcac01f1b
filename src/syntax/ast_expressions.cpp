// Expressions: one method for each supported ast class.
#include "syntax/ast_walker.h"

#include <algorithm>

namespace treadle {

using namespace syntax;

namespace {

Comparison comparisonOf(std::string_view className) {
  struct Row {
    std::string_view className;
    Comparison op;
  };
  static constexpr Row rows[] = {
      {"Eq", Comparison::Equal},      {"NotEq", Comparison::NotEqual}, {"Lt", Comparison::Less},
      {"LtE", Comparison::LessEqual}, {"Gt", Comparison::Greater},     {"GtE", Comparison::GreaterEqual},
      {"Is", Comparison::Is},         {"IsNot", Comparison::IsNot},    {"In", Comparison::In},
      {"NotIn", Comparison::NotIn},
  };
  const Row *row = std::find_if(std::begin(rows), std::end(rows),
                                [&](const Row &candidate) { return candidate.className == className; });
  TREADLE_CHECK(row != std::end(rows));
  return row->op;
}

UnaryOperator unaryOperatorOf(std::string_view className) {
  if (className == "USub")
    return UnaryOperator::Negative;
  if (className == "UAdd")
    return UnaryOperator::Positive;
  if (className == "Invert")
    return UnaryOperator::Invert;
  TREADLE_CHECK(className == "Not");
  return UnaryOperator::Not;
}

} // namespace

Expr *AstWalker::expression(AstNode node) {
  static constexpr Entry<Expr *(AstWalker::*)(AstNode, SourceSpan)> methods[] = {
      {"Name", &AstWalker::name},
      {"Constant", &AstWalker::constant},
      {"Subscript", &AstWalker::subscript},
      {"BinOp", &AstWalker::binary},
      {"Attribute", &AstWalker::attribute},
      {"Call", &AstWalker::call},
      {"Tuple", &AstWalker::tuple},
      {"UnaryOp", &AstWalker::unary},
      {"Compare", &AstWalker::compare},
      {"BoolOp", &AstWalker::boolean},
      {"IfExp", &AstWalker::conditional},
      {"Slice", &AstWalker::slice},
      {"List", &AstWalker::listDisplay},
      {"NamedExpr", &AstWalker::walrus},
      {"Starred", &AstWalker::starred},
      {"Lambda", &AstWalker::lambda},
      {"JoinedStr", &AstWalker::joinedString},
      {"FormattedValue", &AstWalker::formattedValue},
      {"ListComp", &AstWalker::comprehension},
      {"GeneratorExp", &AstWalker::comprehension},
  };
  const std::string_view className = tree.className(node);
  for (const auto &entry : methods) {
    if (entry.className != className)
      continue;
    enter(node);
    Expr *result = (this->*entry.method)(node, span(node));
    --depth;
    return result;
  }
  unsupported(node, className);
}

std::vector<Expr *> AstWalker::expressions(AstNode node, AstField name) {
  std::vector<Expr *> result;
  for (const AstNode item : tree.list(node, name))
    result.push_back(expression(item));
  return result;
}

Expr *AstWalker::name(AstNode node, SourceSpan at) {
  const std::string_view id = identifier(tree.field(node, AstField::Id));
  if (id == "__debug__") // not a variable: Python compiles its value in
    return nodes.make<Literal>(Expr{ExprKind::Literal, at}, LiteralKind::Bool, false, false, int64_t(origin.hasAsserts),
                               0.0);
  return nodes.make<Name>(Expr{ExprKind::Name, at}, id);
}

Expr *AstWalker::constant(AstNode node, SourceSpan at) {
  using Kind = AstConstant::Kind;
  const AstConstant value = tree.constant(node);
  auto literal = [&](LiteralKind kind) {
    return nodes.make<Literal>(Expr{ExprKind::Literal, at}, kind, value.tooLarge, value.isUnsigned, value.integer,
                               value.real);
  };
  switch (value.kind) {
  case Kind::None:
    return literal(LiteralKind::None);
  case Kind::Bool:
    return literal(LiteralKind::Bool);
  case Kind::Int:
    return literal(LiteralKind::Int);
  case Kind::Float:
    return literal(LiteralKind::Float);
  case Kind::Complex:
    return literal(LiteralKind::Complex);
  case Kind::String:
    return string(node, at);
  case Kind::Bytes:
    return nodes.make<String>(Expr{ExprKind::String, at}, nodes.text(*tree.text(tree.field(node, AstField::Value))),
                              true);
  case Kind::Ellipsis:
    return nodes.make<Expr>(ExprKind::Ellipsis, at);
  case Kind::Other:
    break;
  }
  unsupported(node, "Constant");
}

Expr *AstWalker::string(AstNode node, SourceSpan at) {
  if (const std::optional<std::string_view> text = tree.text(tree.field(node, AstField::Value)))
    return nodes.make<String>(Expr{ExprKind::String, at}, nodes.text(*text));
  fail(CompileErrorKind::Unsupported, at, "a string with half of a surrogate pair cannot be used in a kernel",
       "write the character as \\UXXXXXXXX");
}

/// `-1` is a single literal, as in Python: so -9223372036854775808 is an int64.
Expr *AstWalker::negatedLiteral(const Literal &literal, SourceSpan at) {
  const auto magnitude = uint64_t(literal.integer);
  const bool isTooLow = literal.isUnsigned && magnitude > uint64_t(1) << 63;
  return nodes.make<Literal>(Expr{ExprKind::Literal, at}, literal.literal, literal.tooLarge || isTooLow, false,
                             int64_t(0 - magnitude), -literal.real);
}

Expr *AstWalker::unary(AstNode node, SourceSpan at) {
  const UnaryOperator op = unaryOperatorOf(tree.className(tree.field(node, AstField::Op)));
  Expr *operand = expression(tree.field(node, AstField::Operand));
  if (op == UnaryOperator::Negative && operand->kind == ExprKind::Literal) {
    const auto &literal = operand->as<Literal>();
    const bool isSigned = literal.literal == LiteralKind::Int && literal.integer >= 0;
    const bool isLowest = literal.literal == LiteralKind::Int && (literal.isUnsigned || literal.tooLarge);
    if (isSigned || isLowest || literal.literal == LiteralKind::Float)
      return literals.negated(negatedLiteral(literal, at), *operand);
  }
  Expr *made = nodes.make<Unary>(Expr{ExprKind::Unary, at}, op, operand);
  return op == UnaryOperator::Negative ? literals.negated(made, *operand) : made;
}

Expr *AstWalker::binary(AstNode node, SourceSpan at) {
  const std::string_view className = tree.className(tree.field(node, AstField::Op));
  auto op = BinaryOperator::Mul;
  const bool isMatMul = !binaryOperatorOf(className, op);
  Expr *left = expression(tree.field(node, AstField::Left));
  Expr *right = expression(tree.field(node, AstField::Right));
  return literals.combined(nodes.make<Binary>(Expr{ExprKind::Binary, at}, op, isMatMul, left, right));
}

Expr *AstWalker::boolean(AstNode node, SourceSpan at) {
  const bool isAnd = tree.className(tree.field(node, AstField::Op)) == "And";
  return nodes.make<Boolean>(Expr{ExprKind::Boolean, at}, isAnd, nodes.list(expressions(node, AstField::Values)));
}

Expr *AstWalker::compare(AstNode node, SourceSpan at) {
  Expr *left = expression(tree.field(node, AstField::Left));
  std::vector<Comparison> ops;
  for (const AstNode op : tree.list(node, AstField::Ops))
    ops.push_back(comparisonOf(tree.className(op)));
  return nodes.make<Compare>(Expr{ExprKind::Compare, at}, left, nodes.list(ops),
                             nodes.list(expressions(node, AstField::Comparators)));
}

Expr *AstWalker::conditional(AstNode node, SourceSpan at) {
  Expr *test = expression(tree.field(node, AstField::Test));
  Expr *then = expression(tree.field(node, AstField::Body));
  Expr *otherwise = expression(tree.field(node, AstField::Orelse));
  return nodes.make<Conditional>(Expr{ExprKind::Conditional, at}, test, then, otherwise);
}

Expr *AstWalker::call(AstNode node, SourceSpan at) {
  if (isConsteval(node) && tree.list(node, AstField::Args).size() == 1)
    return constevalCall(node, Consteval::Yields::Value);
  Expr *callee = expression(tree.field(node, AstField::Func));
  const std::vector<Expr *> arguments = expressions(node, AstField::Args);
  std::vector<Keyword> keywords;
  for (const AstNode keyword : tree.list(node, AstField::Keywords)) {
    const AstNode name = tree.field(keyword, AstField::Arg);
    const std::string_view id = name ? identifier(name) : std::string_view();
    keywords.push_back({id, expression(tree.field(keyword, AstField::Value)), span(keyword)});
  }
  return nodes.make<Call>(Expr{ExprKind::Call, at}, callee, nodes.list(arguments), nodes.list(keywords));
}

Expr *AstWalker::attribute(AstNode node, SourceSpan at) {
  Expr *value = expression(tree.field(node, AstField::Value));
  return nodes.make<Attribute>(Expr{ExprKind::Attribute, at}, value, identifier(tree.field(node, AstField::Attr)));
}

Expr *AstWalker::subscript(AstNode node, SourceSpan at) {
  Expr *value = expression(tree.field(node, AstField::Value));
  return nodes.make<Subscript>(Expr{ExprKind::Subscript, at}, value, expression(tree.field(node, AstField::Slice)));
}

Expr *AstWalker::slice(AstNode node, SourceSpan at) {
  Expr *start = expressionOrNull(tree.field(node, AstField::Lower));
  Expr *stop = expressionOrNull(tree.field(node, AstField::Upper));
  Expr *step = expressionOrNull(tree.field(node, AstField::Step));
  return nodes.make<Slice>(Expr{ExprKind::Slice, at}, start, stop, step);
}

Expr *AstWalker::sequence(AstNode node, SourceSpan at, ExprKind kind) {
  return nodes.make<Sequence>(Expr{kind, at}, nodes.list(expressions(node, AstField::Elts)));
}

Expr *AstWalker::tuple(AstNode node, SourceSpan at) { return sequence(node, at, ExprKind::Tuple); }

Expr *AstWalker::listDisplay(AstNode node, SourceSpan at) { return sequence(node, at, ExprKind::List); }

/// An f-string.
Expr *AstWalker::joinedString(AstNode node, SourceSpan at) {
  return nodes.make<Sequence>(Expr{ExprKind::Joined, at}, nodes.list(expressions(node, AstField::Values)));
}

Expr *AstWalker::formattedValue(AstNode node, SourceSpan at) {
  const int conversion = tree.conversion(node);
  Expr *value = expression(tree.field(node, AstField::Value));
  return nodes.make<Format>(Expr{ExprKind::Format, at}, conversion > 0 ? char(conversion) : '\0', value,
                            expressionOrNull(tree.field(node, AstField::FormatSpec)));
}

Expr *AstWalker::walrus(AstNode node, SourceSpan at) {
  if (isInComprehension)
    unsupported(node, "ComprehensionWalrus");
  const AstNode target = tree.field(node, AstField::Target);
  auto *name = nodes.make<Name>(Expr{ExprKind::Name, span(target)}, identifier(tree.field(target, AstField::Id)));
  return nodes.make<Walrus>(Expr{ExprKind::Walrus, at}, name, expression(tree.field(node, AstField::Value)));
}

Expr *AstWalker::starred(AstNode node, SourceSpan at) {
  return nodes.make<Starred>(Expr{ExprKind::Starred, at}, expression(tree.field(node, AstField::Value)));
}

Expr *AstWalker::lambda(AstNode node, SourceSpan at) {
  return nodes.make<Lambda>(Expr{ExprKind::Lambda, at}, function(node, Defaults::Walked));
}

} // namespace treadle
