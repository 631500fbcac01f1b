// Code that Python runs while compiling: consteval(...) and with consteval().
#include "support/scoped.h"
#include "syntax/ast_walker.h"

namespace treadle {

using namespace syntax;

/// A call with at most one plain argument of a function that means consteval.
bool AstWalker::isConsteval(AstNode call) const {
  if (!origin.isConsteval || tree.className(call) != "Call" || !tree.list(call, AstField::Keywords).empty())
    return false;
  const std::vector<AstNode> arguments = tree.list(call, AstField::Args);
  if (arguments.size() > 1 || (!arguments.empty() && tree.className(arguments[0]) == "Starred"))
    return false;
  const AstNode callee = tree.field(call, AstField::Func);
  const std::string_view className = tree.className(callee);
  return (className == "Name" || className == "Attribute") && origin.isConsteval(callee);
}

Expr *AstWalker::constevalCall(AstNode call, Consteval::Yields yields) {
  return constevalOf(tree.code(tree.list(call, AstField::Args)[0], origin.className), call, yields);
}

Consteval *AstWalker::constevalOf(const AstCode &code, AstNode call, Consteval::Yields yields) {
  const SourceSpan at = span(call);
  if (!code.problem.empty()) {
    const SourceSpan there = code.line ? origin.source->wholeLine(code.line + uint32_t(origin.lineOffset)) : at;
    fail(CompileErrorKind::Unsupported, there, code.problem, "Python runs this code by itself, while compiling");
  }
  codes.push_back(code.object);
  std::vector<Expr *> names;
  for (const AstNode read : code.reads)
    names.push_back(nodes.make<Name>(Expr{ExprKind::Name, at}, identifier(read)));
  return nodes.make<Consteval>(Expr{ExprKind::Consteval, at}, yields, expression(tree.field(call, AstField::Func)),
                               nodes.list(names), code.object.get(), origin.lineOffset);
}

/// `with consteval():` assigns to names the values that its statements give them.
Stmt *AstWalker::withStatement(AstNode node) {
  const std::vector<AstNode> items = tree.list(node, AstField::Items);
  const AstNode call = tree.field(items[0], AstField::ContextExpression);
  if (items.size() != 1 || tree.field(items[0], AstField::OptionalVariables) || !isConsteval(call) ||
      !tree.list(call, AstField::Args).empty())
    unsupported(node, "With");
  const AstCode code = tree.code(node, origin.className);
  Expr *value = constevalOf(code, call, Consteval::Yields::Block);
  std::vector<Expr *> targets;
  for (const AstNode bound : code.binds)
    targets.push_back(nodes.make<Name>(Expr{ExprKind::Name, value->span}, identifier(bound)));
  if (targets.empty())
    return nodes.make<ExprStmt>(Stmt{StmtKind::Expression, value->span}, value);
  Expr *target = nodes.make<Sequence>(Expr{ExprKind::Tuple, value->span}, nodes.list(targets));
  return nodes.make<Assign>(Stmt{StmtKind::Assign, value->span}, nodes.list(std::vector<Expr *>{target}), value);
}

/// With one `for` over consteval(...), without `if`. A generator expression is evaluated at once, to a tuple.
Expr *AstWalker::comprehension(AstNode node, SourceSpan at) {
  const std::vector<AstNode> generators = tree.list(node, AstField::Generators);
  const AstNode items = tree.field(generators[0], AstField::Iter);
  if (generators.size() != 1 || !tree.list(generators[0], AstField::Conditions).empty() || !isConsteval(items) ||
      tree.list(items, AstField::Args).empty())
    unsupported(node, tree.className(node));
  const Function *function = elementOf(node, tree.field(generators[0], AstField::Target), at);
  Expr *lambda = nodes.make<Lambda>(Expr{ExprKind::Lambda, at}, function);
  const std::vector<Expr *> arguments{constevalCall(items, Consteval::Yields::Items)};
  Expr *each = nodes.make<Call>(Expr{ExprKind::Call, at}, lambda, nodes.list(arguments), std::span<const Keyword>());
  return nodes.make<Comprehension>(Expr{ExprKind::Comprehension, at}, each);
}

/// `lambda target: element`.
const Function *AstWalker::elementOf(AstNode comprehension, AstNode target, SourceSpan at) {
  const Scoped inside(isInComprehension, true);
  const bool isName = tree.className(target) == "Name";
  const std::string_view name = isName ? identifier(tree.field(target, AstField::Id)) : ".item";
  const std::vector<Parameter> parameters{{name, span(target), ParameterKind::Plain, nullptr, false}};
  std::vector<Stmt *> body;
  if (!isName) {
    const std::vector<Expr *> targets{assignmentTarget(target)};
    Expr *item = nodes.make<Name>(Expr{ExprKind::Name, span(target)}, name);
    body.push_back(nodes.make<Assign>(Stmt{StmtKind::Assign, span(target)}, nodes.list(targets), item));
  }
  Expr *value = expression(tree.field(comprehension, AstField::Element));
  body.push_back(nodes.make<Return>(Stmt{StmtKind::Return, value->span}, value));
  return nodes.make<Function>("<lambda>", at, nodes.list(parameters), Body(nodes.list(body)), true);
}

} // namespace treadle
