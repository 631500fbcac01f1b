// Expressions: names, literals, tuples, conditional expressions.
#include "infer/expression_rules.h"
#include "infer/known_text.h"

#include <algorithm>

namespace treadle {

using syntax::ExprKind;

typed::Expr *ExpressionRules::expr(const syntax::Expr &expression) {
  compilation.stack.check(source, expression.span);
  switch (expression.kind) {
  case ExprKind::Name:
    return handedOn(name(expression.as<syntax::Name>()), expression);
  case ExprKind::Literal:
    return literal(expression.as<syntax::Literal>());
  case ExprKind::String:
    return string(expression.as<syntax::String>());
  case ExprKind::Ellipsis:
    return nodes.unit(types::ellipsis(), expression.span);
  case ExprKind::Unary:
    return unary(expression.as<syntax::Unary>());
  case ExprKind::Binary:
    return binary(expression.as<syntax::Binary>());
  case ExprKind::Boolean:
    return boolean(expression.as<syntax::Boolean>());
  case ExprKind::Compare:
    return compare(expression.as<syntax::Compare>());
  case ExprKind::Conditional:
    return conditional(expression.as<syntax::Conditional>());
  case ExprKind::Call:
    return call(expression.as<syntax::Call>());
  case ExprKind::Attribute:
    return attribute(expression.as<syntax::Attribute>());
  case ExprKind::Subscript:
    return subscript(expression.as<syntax::Subscript>());
  case ExprKind::Tuple:
  case ExprKind::List:
    return sequence(static_cast<const syntax::Sequence &>(expression));
  case ExprKind::Joined:
    return joinedString(expression.as<syntax::Sequence>());
  case ExprKind::Format:
    break; // part of the former
  case ExprKind::Walrus:
    return walrus(expression.as<syntax::Walrus>());
  case ExprKind::Lambda:
    return handedOn(lambda(expression.as<syntax::Lambda>()), expression);
  case ExprKind::Comprehension:
    return comprehension(expression.as<syntax::Comprehension>());
  case ExprKind::Consteval:
    return evaluated(expression.as<syntax::Consteval>());
  case ExprKind::Slice:
    return nodes.unit(types::slice(), expression.span);
  case ExprKind::Starred:
    failUnsupported(expression.span, "a starred value can only be an argument of a call",
                    "index the tuple and write its items one by one");
  }
  return nullptr;
}

typed::Expr *ExpressionRules::string(const syntax::String &string) {
  if (!string.isBytes)
    return nodes.unit(types::string(string.text), string.span);
  if (string.text.size() > types::mostCharacters)
    failUnsupported(string.span,
                    "kernels have bytes of up to " + std::to_string(types::mostCharacters) + " characters, not " +
                        std::to_string(string.text.size()),
                    "pass the bytes as an array argument");
  return constantBytes(nodes, string.text, string.span);
}

typed::Expr *ExpressionRules::literal(const syntax::Literal &literal) {
  using syntax::LiteralKind;
  if (literal.tooLarge) {
    fail(literal.span, {.kind = CompileErrorKind::Value,
                        .message = "this integer does not fit 64 bits",
                        .found = {},
                        .expected = "-9223372036854775808 to 18446744073709551615",
                        .remedy = {}});
  }
  typed::Const *made = nullptr;
  switch (literal.literal) {
  case LiteralKind::None:
    return nodes.unit(types::none(), literal.span);
  case LiteralKind::Bool:
    made = nodes.boolean(literal.integer != 0, literal.span);
    break;
  case LiteralKind::Int:
    made = nodes.integer(literal.isUnsigned ? types::uint64() : types::int64(), literal.integer, literal.span);
    break;
  case LiteralKind::Float:
    made = nodes.real(types::float64(), literal.real, literal.span);
    break;
  case LiteralKind::Complex:
    made = nodes.complex(types::complex128(), 0, literal.real, literal.span);
    break;
  }
  made->isLiteral = true;
  return made;
}

typed::Expr *ExpressionRules::calleeValue(const syntax::Expr &callee) {
  if (callee.kind == ExprKind::Name)
    return name(callee.as<syntax::Name>());
  return callee.kind == ExprKind::Lambda ? lambda(callee.as<syntax::Lambda>()) : expr(callee);
}

typed::Expr *ExpressionRules::name(const syntax::Name &name) {
  auto read = flow.reads.find(&name);
  return read == flow.reads.end() ? outsideName(name) : readNode(read->second, name.span, name.id);
}

typed::Expr *ExpressionRules::readNode(NodeId id, SourceSpan span, std::string_view name) {
  const FlowNode &node = flow.nodes[id];
  if (!node.type && flow.isUnset(id)) {
    fail(span, {.kind = CompileErrorKind::Name,
                .message = quoted(name) + " is read, but no assignment to it can have run before",
                .found = {},
                .expected = {},
                .remedy = "assign it first"});
  }
  if (!node.type)
    phase->awaitType();
  if (!node.type)
    failTyping(span, "the type of " + quoted(name) + " cannot be found: it depends on itself alone",
               "give it a value before the loop");
  if (node.constant) {
    typed::Expr *value = copyConstant(*node.constant);
    value->span = span;
    return value;
  }
  if (!typed::hasStorage(node.type))
    return nodes.unit(node.type, span);
  return phase->read(node, span);
}

typed::Expr *ExpressionRules::outsideName(const syntax::Name &name) {
  const CapturedValue &value = compilation.resolve(request.known->called.handle, name.id);
  if (value.type)
    return captured(value, name.span, name.id);
  std::vector<std::string_view> candidates(scope.names().begin(), scope.names().end());
  for (const Builtin &row : allBuiltins())
    if (row.key.find('.') == std::string_view::npos)
      candidates.push_back(row.key);
  const std::string_view closest = closestName(name.id, candidates);
  fail(name.span,
       {.kind = CompileErrorKind::Name,
        .message = "the name " + quoted(name.id) + " is not defined",
        .found = {},
        .expected = {},
        .remedy = closest.empty() ? "define it before the kernel is first launched, or pass it as an argument"
                                  : "did you mean " + quoted(closest) + "?"});
}

typed::Expr *ValueRules::unit(const Type *type, SourceSpan span) {
  if (type->is(TypeKind::Builtin)) {
    const Builtin *row = findBuiltin(type->text());
    if (row && row->rule == BuiltinRule::ThreadValue) {
      phase->noted().usesClusters |= isOfCluster(row->operation());
      return nodes.operation(row->operation(), types::int32(), {}, span);
    }
    if (row && row->rule == BuiltinRule::WarpSize)
      return nodes.integer(types::int32(), 32, span);
  }
  return nodes.unit(type, span);
}

typed::Expr *ExpressionRules::captured(const CapturedValue &value, SourceSpan span, std::string_view name) {
  const Type *type = value.type;
  if (type->isTuple()) {
    Items items;
    for (const CapturedValue &item : value.items)
      items.push_back(captured(item, span, std::string(name) + "[" + std::to_string(items.size()) + "]"));
    return nodes.tuple(type, items, span);
  }
  if (type->isArray())
    return capturedArray(value, span, name);
  if (!value.problem.empty())
    fail(span, {.kind = CompileErrorKind::Typing,
                .message = value.problem,
                .found = type->name(),
                .expected = {},
                .remedy = {}});
  if (!type->isNumber())
    return unit(type, span);
  typed::Const *made = type->isInteger() ? nodes.integer(type, value.integer, span)
                       : type->isFloat() ? nodes.real(type, value.real, span)
                                         : nodes.complex(type, value.real, value.imag, span);
  made->isLiteral = value.isLiteral;
  made->isNumpy = value.isNumpy;
  return made;
}

typed::Expr *ExpressionRules::capturedArray(const CapturedValue &value, SourceSpan span, std::string_view name) {
  const auto [known, isNew] = capturedIds.try_emplace(value.object.get(), uint32_t(out->captured.size()));
  if (isNew) {
    std::optional<uint32_t> position;
    if (value.devicePointer)
      position = compilation.positionOf(value);
    out->captured.push_back(
        {value.type, value.shape, value.strides, compilation.contentsOf(value), position, out->nodes.text(name)});
  }
  return nodes.memory().make<typed::Captured>(typed::Expr{typed::ExprKind::Captured, value.type, span}, known->second);
}

typed::Expr *ExpressionRules::sequence(const syntax::Sequence &sequence) {
  Items items;
  for (const syntax::Expr *item : sequence.items)
    items.push_back(expr(*item));
  return makeTuple(items, sequence.span);
}

/// Numbers and arrays in a tuple of tuples, counted up to `most`: a small type may have exponentially many, as items
/// are shared.
static size_t countParts(const Type *type, size_t most) {
  if (!type->isTuple())
    return 1;
  size_t count = 0;
  for (const Type *item : type->items())
    if (count <= most)
      count += countParts(item, most - std::min(most, count));
  return count;
}

typed::Expr *ValueRules::makeTuple(const Items &items, SourceSpan span) {
  constexpr size_t maxParts = 4096;
  std::vector<const Type *> itemTypes;
  for (const typed::Expr *item : items)
    itemTypes.push_back(item->type);
  const Type *type = types::tuple(itemTypes);
  if (countParts(type, maxParts) > maxParts)
    fail(span, {.kind = CompileErrorKind::Limit,
                .message = "this tuple is too large to be compiled",
                .found = "more than " + std::to_string(maxParts) + " values",
                .expected = {},
                .remedy = "use an array: cuda.local.array(...)"});
  return nodes.tuple(type, items, span);
}

typed::Expr *ExpressionRules::conditional(const syntax::Conditional &expression) {
  typed::Expr *condition = test(*expression.test);
  if (condition->kind == typed::ExprKind::Const)
    return expr(condition->as<typed::Const>().integer ? *expression.then : *expression.otherwise);
  typed::Expr *then = sideOf([&] { return expr(*expression.then); });
  typed::Expr *otherwise = sideOf([&] { return expr(*expression.otherwise); });
  return chosen(condition, then, otherwise, expression.span);
}

/// Both sides, converted to their common type. While solving, a side that has no type yet (nullptr) is ignored.
typed::Expr *ExpressionRules::chosen(typed::Expr *test, typed::Expr *then, typed::Expr *otherwise, SourceSpan span) {
  if (!then || !otherwise) {
    if (!then && !otherwise)
      throw Solver::NotYet();
    const Type *type = (then ? then : otherwise)->type;
    return typed::hasStorage(type) ? placeholder(type, span) : nodes.unit(type, span);
  }
  const Type *type = unifyOperands(*then, *otherwise);
  if (!type) {
    fail(span, {.kind = CompileErrorKind::Typing,
                .message = "the two values that may result have types that do not go together",
                .found = then->type->name() + " and " + otherwise->type->name(),
                .expected = "one type, or numbers, which are widened",
                .remedy = {}});
  }
  return nodes.conditional(test, convert(then, type), convert(otherwise, type), span);
}

/// The common type of two values; under the cuda-python rules, a literal takes the type of the other.
const Type *ValueRules::unifyOperands(const typed::Expr &left, const typed::Expr &right) const {
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

typed::Expr *ExpressionRules::walrus(const syntax::Walrus &expression) {
  const NodeId node = flow.writes.at(expression.target);
  return inBlock(expression.span, [&] {
    define(node, expr(*expression.value), expression.span);
    return readNode(node, expression.span, expression.target->id);
  });
}

typed::Expr *ExpressionRules::lambda(const syntax::Lambda &expression) {
  const Type *type =
      compilation.nestedFunction(*expression.function, "<lambda>", scope.nested(*expression.function), *request.known);
  return nodes.unit(type, expression.span);
}

} // namespace treadle
