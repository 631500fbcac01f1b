// Code that Python runs while compiling: consteval(...) and with consteval().
#include "syntax/ast_walker.h"

namespace treadle {

using namespace syntax;

/// A call with one plain argument, or none, of what the function knows as consteval.
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
    fail(CompileErrorKind::Unsupported, there, code.problem,
         "Python runs what stands under `with consteval():` by itself, while compiling");
  }
  codes.push_back(code.object);
  std::vector<Expr *> names;
  for (const AstNode read : code.reads)
    names.push_back(nodes.make<Name>(Expr{ExprKind::Name, at}, identifier(read)));
  return nodes.make<Consteval>(Expr{ExprKind::Consteval, at}, yields, expression(tree.field(call, AstField::Func)),
                               nodes.list(names), code.object.get(), origin.lineOffset);
}

/// `with consteval():` assigns what its statements have made of their names.
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

} // namespace treadle
