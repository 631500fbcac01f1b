// Expressions: one method for each ast class that kernels can have.
#include "python/source/ast_walker.h"

#include <algorithm>

namespace nb = nanobind;

namespace treadle::python {

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

Expr *AstWalker::expression(Node node) {
  static constexpr Entry<Expr *(AstWalker::*)(Node, SourceSpan)> methods[] = {
      {"Name", &AstWalker::name},        {"Constant", &AstWalker::constant},   {"Subscript", &AstWalker::subscript},
      {"BinOp", &AstWalker::binary},     {"Attribute", &AstWalker::attribute}, {"Call", &AstWalker::call},
      {"Tuple", &AstWalker::tuple},      {"UnaryOp", &AstWalker::unary},       {"Compare", &AstWalker::compare},
      {"BoolOp", &AstWalker::boolean},   {"IfExp", &AstWalker::conditional},   {"Slice", &AstWalker::slice},
      {"List", &AstWalker::listDisplay}, {"NamedExpr", &AstWalker::walrus},    {"Starred", &AstWalker::starred},
      {"Lambda", &AstWalker::lambda},
  };
  const std::string_view className = astClass(node);
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

std::vector<Expr *> AstWalker::expressions(Node node, const nb::object &name) {
  std::vector<Expr *> result;
  for (const nb::object &item : list(node, name))
    result.push_back(expression(item));
  return result;
}

Expr *AstWalker::name(Node node, SourceSpan at) {
  return nodes.make<Name>(Expr{ExprKind::Name, at}, identifier(field(node, fields.id)));
}

Expr *AstWalker::constant(Node node, SourceSpan at) {
  const nb::object value = field(node, fields.value);
  PyObject *object = value.ptr();
  auto literal = [&](LiteralKind kind, int64_t integer, double real) {
    return nodes.make<Literal>(Expr{ExprKind::Literal, at}, kind, false, false, integer, real);
  };
  if (object == Py_None)
    return literal(LiteralKind::None, 0, 0);
  if (PyBool_Check(object))
    return literal(LiteralKind::Bool, object == Py_True, 0);
  if (PyLong_Check(object))
    return integer(value, at);
  if (PyFloat_Check(object))
    return literal(LiteralKind::Float, 0, PyFloat_AS_DOUBLE(object));
  if (PyComplex_Check(object))
    return literal(LiteralKind::Complex, 0, PyComplex_ImagAsDouble(object));
  if (PyUnicode_Check(object))
    return nodes.make<String>(Expr{ExprKind::String, at}, text(value, at));
  if (object == Py_Ellipsis)
    return nodes.make<Expr>(ExprKind::Ellipsis, at);
  unsupported(node, "Bytes");
}

Expr *AstWalker::integer(Node value, SourceSpan at) {
  int overflow = 0;
  int64_t number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  bool isUnsigned = false;
  bool tooLarge = false;
  if (overflow != 0) {
    number = static_cast<int64_t>(PyLong_AsUnsignedLongLong(value.ptr()));
    tooLarge = PyErr_Occurred() != nullptr;
    isUnsigned = !tooLarge;
    PyErr_Clear();
  }
  return nodes.make<Literal>(Expr{ExprKind::Literal, at}, LiteralKind::Int, tooLarge, isUnsigned, number, 0.0);
}

/// `-1` is one literal, as it is to Python: so that -9223372036854775808 is an int64.
Expr *AstWalker::negatedLiteral(const Literal &literal, SourceSpan at) {
  const auto magnitude = static_cast<uint64_t>(literal.integer);
  const bool isTooLow = literal.isUnsigned && magnitude > uint64_t(1) << 63;
  return nodes.make<Literal>(Expr{ExprKind::Literal, at}, literal.literal, literal.tooLarge || isTooLow, false,
                             static_cast<int64_t>(0 - magnitude), -literal.real);
}

Expr *AstWalker::unary(Node node, SourceSpan at) {
  const UnaryOperator op = unaryOperatorOf(astClass(field(node, fields.op)));
  Expr *operand = expression(field(node, fields.operand));
  if (op == UnaryOperator::Negative && operand->kind == ExprKind::Literal) {
    const auto &literal = operand->as<Literal>();
    const bool isSigned = literal.literal == LiteralKind::Int && literal.integer >= 0;
    const bool isLowest = literal.literal == LiteralKind::Int && (literal.isUnsigned || literal.tooLarge);
    if (isSigned || isLowest || literal.literal == LiteralKind::Float)
      return negatedLiteral(literal, at);
  }
  return nodes.make<Unary>(Expr{ExprKind::Unary, at}, op, operand);
}

Expr *AstWalker::binary(Node node, SourceSpan at) {
  const std::string_view className = astClass(field(node, fields.op));
  auto op = BinaryOperator::Mul;
  const bool isMatMul = !binaryOperatorOf(className, op);
  Expr *left = expression(field(node, fields.left));
  Expr *right = expression(field(node, fields.right));
  return nodes.make<Binary>(Expr{ExprKind::Binary, at}, op, isMatMul, left, right);
}

Expr *AstWalker::boolean(Node node, SourceSpan at) {
  const bool isAnd = astClass(field(node, fields.op)) == "And";
  return nodes.make<Boolean>(Expr{ExprKind::Boolean, at}, isAnd, nodes.list(expressions(node, fields.values)));
}

Expr *AstWalker::compare(Node node, SourceSpan at) {
  Expr *left = expression(field(node, fields.left));
  std::vector<Comparison> ops;
  for (const nb::object &op : list(node, fields.ops))
    ops.push_back(comparisonOf(astClass(op)));
  return nodes.make<Compare>(Expr{ExprKind::Compare, at}, left, nodes.list(ops),
                             nodes.list(expressions(node, fields.comparators)));
}

Expr *AstWalker::conditional(Node node, SourceSpan at) {
  Expr *test = expression(field(node, fields.test));
  Expr *then = expression(field(node, fields.body));
  Expr *otherwise = expression(field(node, fields.orelse));
  return nodes.make<Conditional>(Expr{ExprKind::Conditional, at}, test, then, otherwise);
}

Expr *AstWalker::call(Node node, SourceSpan at) {
  Expr *callee = expression(field(node, fields.func));
  const std::vector<Expr *> arguments = expressions(node, fields.args);
  std::vector<Keyword> keywords;
  for (const nb::object &keyword : list(node, fields.keywords)) {
    const nb::object name = field(keyword, fields.arg);
    const std::string_view id = name.is_none() ? std::string_view() : identifier(name);
    keywords.push_back({id, expression(field(keyword, fields.value)), span(keyword)});
  }
  return nodes.make<Call>(Expr{ExprKind::Call, at}, callee, nodes.list(arguments), nodes.list(keywords));
}

Expr *AstWalker::attribute(Node node, SourceSpan at) {
  Expr *value = expression(field(node, fields.value));
  return nodes.make<Attribute>(Expr{ExprKind::Attribute, at}, value, identifier(field(node, fields.attr)));
}

Expr *AstWalker::subscript(Node node, SourceSpan at) {
  Expr *value = expression(field(node, fields.value));
  return nodes.make<Subscript>(Expr{ExprKind::Subscript, at}, value, expression(field(node, fields.slice)));
}

Expr *AstWalker::slice(Node node, SourceSpan at) {
  Expr *start = expressionOrNull(field(node, fields.lower));
  Expr *stop = expressionOrNull(field(node, fields.upper));
  Expr *step = expressionOrNull(field(node, fields.step));
  return nodes.make<Slice>(Expr{ExprKind::Slice, at}, start, stop, step);
}

Expr *AstWalker::sequence(Node node, SourceSpan at, ExprKind kind) {
  return nodes.make<Sequence>(Expr{kind, at}, nodes.list(expressions(node, fields.elts)));
}

Expr *AstWalker::tuple(Node node, SourceSpan at) { return sequence(node, at, ExprKind::Tuple); }

Expr *AstWalker::listDisplay(Node node, SourceSpan at) { return sequence(node, at, ExprKind::List); }

Expr *AstWalker::walrus(Node node, SourceSpan at) {
  const nb::object target = field(node, fields.target);
  auto *name = nodes.make<Name>(Expr{ExprKind::Name, span(target)}, identifier(field(target, fields.id)));
  return nodes.make<Walrus>(Expr{ExprKind::Walrus, at}, name, expression(field(node, fields.value)));
}

Expr *AstWalker::starred(Node node, SourceSpan at) {
  return nodes.make<Starred>(Expr{ExprKind::Starred, at}, expression(field(node, fields.value)));
}

Expr *AstWalker::lambda(Node node, SourceSpan at) {
  return nodes.make<Lambda>(Expr{ExprKind::Lambda, at}, function(node, Defaults::Walked));
}

} // namespace treadle::python
