// Expressions by their kinds; tuples, conditional expressions, assignments within them.
// Operands are evaluated from left to right by the order of the calls here; where a node does not keep that order, the
// rule that makes it calls Tree::settle(). The same functions serve both phases, so that types and trees cannot
// disagree.
#include "infer/expressions/expressions.h"

#include "infer/expressions/formatting.h"

namespace treadle {

using syntax::ExprKind;

/// Each type is noted with its place in the source: tools show them.
typed::Expr *Expressions::expr(const syntax::Expr &expression) {
  typed::Expr *value = typedOf(expression);
  if (tree.phase() && value)
    tree.phase()->evaluated(expression.span, value->type);
  return value;
}

/// Source nests as deeply as its author likes, and so do these calls: the stack is checked at each level. A nested
/// function that is not called at once is handed on, as a closure; a callee does not come here (Calls::calleeValue).
/// nullptr for a part of an f-string alone, which joinedString() reads itself.
typed::Expr *Expressions::typedOf(const syntax::Expr &expression) {
  instance.compilation.stack.check(instance.source, expression.span);
  switch (expression.kind) {
  case ExprKind::Name:
    return parts.functions.handedOn(parts.names.read(expression.as<syntax::Name>()), expression);
  case ExprKind::Literal:
    return parts.names.literal(expression.as<syntax::Literal>());
  case ExprKind::String:
    return parts.names.string(expression.as<syntax::String>());
  case ExprKind::Ellipsis:
    return tree.unit(types::ellipsis(), expression.span);
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
    return calls.call(expression.as<syntax::Call>());
  case ExprKind::Attribute:
    return parts.attributes.attributeOf(expr(*expression.as<syntax::Attribute>().value),
                                        expression.as<syntax::Attribute>());
  case ExprKind::Subscript:
    return parts.subscripts.subscript(expression.as<syntax::Subscript>());
  case ExprKind::Tuple:
  case ExprKind::List:
    return sequence(static_cast<const syntax::Sequence &>(expression));
  case ExprKind::Joined:
    return joinedString({tree, *this}, expression.as<syntax::Sequence>());
  case ExprKind::Format:
    break; // part of the former
  case ExprKind::Walrus:
    return walrus(expression.as<syntax::Walrus>());
  case ExprKind::Lambda:
    return parts.functions.handedOn(parts.names.lambda(expression.as<syntax::Lambda>()), expression);
  case ExprKind::Comprehension:
    return comprehension(expression.as<syntax::Comprehension>());
  case ExprKind::Consteval:
    return parts.statics.evaluated(expression.as<syntax::Consteval>());
  case ExprKind::Slice:
    return tree.unit(types::slice(), expression.span);
  case ExprKind::Starred:
    tree.failUnsupported(expression.span, "a starred value can only be an argument of a call",
                         "index the tuple and write its items one by one");
  }
  return nullptr;
}

/// `not x` needs the truth of x alone. `~flags` is asked for the class of its operand by syntax, as members of an
/// IntFlag are plain integers here.
typed::Expr *Expressions::unary(const syntax::Unary &expression) {
  if (expression.op == UnaryOperator::Not)
    return operators.unaryValue(UnaryOperator::Not, test(*expression.operand), expression.span);
  const syntax::Expr &operand = *expression.operand;
  if (expression.op == UnaryOperator::Negative && operand.kind == syntax::ExprKind::Literal) {
    // -9223372036854775808 is a negative number to Python, though its digits alone do not fit int64.
    const auto &number = operand.as<syntax::Literal>();
    if (number.isUnsigned && number.integer == std::numeric_limits<int64_t>::min()) {
      typed::Const *made = tree.integer(types::int64(), number.integer, expression.span);
      made->isLiteral = true;
      return made;
    }
  }
  typed::Expr *value = expr(operand);
  const CapturedValue *flags = expression.op == UnaryOperator::Invert ? parts.statics.flagsIn(operand) : nullptr;
  return flags ? parts.enumerations.otherFlags(*flags, value, expression.span)
               : operators.unaryValue(expression.op, value, expression.span);
}

/// `a @ b` is no number operation, and has no BinaryOperator.
typed::Expr *Expressions::binary(const syntax::Binary &expression) {
  typed::Expr *left = expr(*expression.left);
  if (expression.isMatMul)
    return instance.values.sequences.product(left, expr(*expression.right), expression.span);
  return operators.binaryValue(expression.op, left, expr(*expression.right), expression.span);
}

/// `(a, b)` and `[a, b]` alike: kernels have no lists, so a display of one is a tuple.
typed::Expr *Expressions::sequence(const syntax::Sequence &sequence) {
  Items items;
  for (const syntax::Expr *item : sequence.items)
    items.push_back(expr(*item));
  return tree.makeTuple(items, sequence.span);
}

/// With a known test the other side is not typed: `x[i, 0] if x.ndim == 2 else x[i]`.
typed::Expr *Expressions::conditional(const syntax::Conditional &expression) {
  typed::Expr *condition = test(*expression.test);
  if (condition->kind == typed::ExprKind::Const)
    return expr(condition->as<typed::Const>().integer ? *expression.then : *expression.otherwise);
  typed::Expr *then = sideOf([&] { return expr(*expression.then); });
  typed::Expr *otherwise = sideOf([&] { return expr(*expression.otherwise); });
  return chosen(condition, then, otherwise, expression.span);
}

/// Both sides, converted to their common type. While solving, a side that has no type yet (nullptr) is ignored.
/// `a if c else None` is an Optional.
typed::Expr *Expressions::chosen(typed::Expr *test, typed::Expr *then, typed::Expr *otherwise, SourceSpan span) {
  if (!then || !otherwise) {
    if (!then && !otherwise)
      throw Solver::NotYet();
    const Type *type = (then ? then : otherwise)->type;
    return typed::hasStorage(type) ? tree.placeholder(type, span) : tree.unit(type, span);
  }
  const Type *type = operators.unifyOperands(*then, *otherwise);
  if (!type) {
    tree.fail(span, {.kind = CompileErrorKind::Typing,
                     .message = "the two values that may result have types that do not go together",
                     .found = then->type->name() + " and " + otherwise->type->name(),
                     .expected = "one type, or numbers, which are widened"});
  }
  return tree.conditional(test, tree.convert(then, type), tree.convert(otherwise, type), span);
}

/// The value is read back from the variable, in whose type it then is.
typed::Expr *Expressions::walrus(const syntax::Walrus &expression) {
  const NodeId node = flow.writes.at(expression.target);
  return tree.inBlock(expression.span, [&] {
    tree.phase()->define(node, expr(*expression.value), expression.span);
    return parts.names.readNode(node, expression.span, expression.target->id);
  });
}

/// `[f(x) for x in consteval(items)]` is a call of a lambda for each item, so that each has variables and types of its
/// own, and the variable is not visible outside, as in Python 3.
typed::Expr *Expressions::comprehension(const syntax::Comprehension &expression) {
  const auto &call = expression.each->as<syntax::Call>();
  return tree.inBlock(expression.span, [&] {
    const typed::Expr *function = parts.names.lambda(call.callee->as<syntax::Lambda>());
    Items values;
    for (typed::Expr *item : tree.itemsOf(expr(*call.arguments[0]))) {
      const Arguments arguments{{item}, {}, &call, expression.span};
      values.push_back(parts.functions.callFunction(function->type, arguments));
    }
    tree.settle(values);
    return tree.makeTuple(values, expression.span);
  });
}

/// Node numbers of parameters are their positions. A parameter that was assigned anew is read by another node, and is
/// no longer what the caller gave. `*rest` is a tuple made here.
std::optional<uint32_t> Expressions::parameterRead(const syntax::Expr &expression) const {
  if (expression.kind != ExprKind::Name)
    return std::nullopt;
  const auto read = flow.reads.find(&expression.as<syntax::Name>());
  const auto &parameters = instance.scope.function().parameters;
  if (read == flow.reads.end() || read->second >= parameters.size() ||
      parameters[read->second].kind == syntax::ParameterKind::Star)
    return std::nullopt;
  return read->second;
}

/// There is no call in the source: `call` is null, and callees that look at syntax must not be asked for so.
typed::Expr *Expressions::applied(std::string_view key, const Items &operands, SourceSpan span) {
  Arguments arguments{operands, {}, nullptr, span};
  return calls.callValue(tree.unit(types::builtin(key), span), arguments);
}

} // namespace treadle
