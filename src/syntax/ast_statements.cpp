// Statements: one method for each supported ast class.
#include "syntax/ast_walker.h"

namespace treadle {

using namespace syntax;

Stmt *AstWalker::statement(AstNode node) {
  static constexpr Entry<Stmt *(AstWalker::*)(AstNode)> methods[] = {
      {"Assign", &AstWalker::assign},
      {"If", &AstWalker::ifStatement},
      {"AugAssign", &AstWalker::augmentedAssign},
      {"Expr", &AstWalker::expressionStatement},
      {"For", &AstWalker::forStatement},
      {"While", &AstWalker::whileStatement},
      {"Return", &AstWalker::returnStatement},
      {"Break", &AstWalker::breakStatement},
      {"Continue", &AstWalker::continueStatement},
      {"Pass", &AstWalker::passStatement},
      {"AnnAssign", &AstWalker::annotatedAssign},
      {"Assert", &AstWalker::assertStatement},
      {"Raise", &AstWalker::raiseStatement},
      {"FunctionDef", &AstWalker::functionDefinition},
      {"Delete", &AstWalker::deleteStatement},
      {"With", &AstWalker::withStatement},
  };
  const std::string_view className = tree.className(node);
  for (const auto &entry : methods) {
    if (entry.className != className)
      continue;
    enter(node);
    Stmt *result = (this->*entry.method)(node);
    --depth;
    return result;
  }
  unsupported(node, className);
}

Body AstWalker::statements(AstNode node, AstField name) {
  std::vector<Stmt *> result;
  for (const AstNode item : tree.list(node, name))
    if (Stmt *made = statement(item))
      result.push_back(made);
  return nodes.list(result);
}

Expr *AstWalker::assignmentTarget(AstNode node) {
  const std::string_view className = tree.className(node);
  if (className == "Starred")
    unsupported(node, "StarredTarget");
  if (className != "Tuple" && className != "List")
    return expression(node);
  enter(node);
  std::vector<Expr *> items;
  for (const AstNode item : tree.list(node, AstField::Elts))
    items.push_back(assignmentTarget(item));
  --depth;
  const ExprKind kind = className == "Tuple" ? ExprKind::Tuple : ExprKind::List;
  return nodes.make<Sequence>(Expr{kind, span(node)}, nodes.list(items));
}

Stmt *AstWalker::assign(AstNode node) {
  std::vector<Expr *> targets;
  for (const AstNode target : tree.list(node, AstField::Targets))
    targets.push_back(assignmentTarget(target));
  Expr *value = expression(tree.field(node, AstField::Value));
  return nodes.make<Assign>(Stmt{StmtKind::Assign, span(node)}, nodes.list(targets), value);
}

Stmt *AstWalker::annotatedAssign(AstNode node) {
  const AstNode value = tree.field(node, AstField::Value);
  if (!value)
    return nullptr;
  Expr *target = assignmentTarget(tree.field(node, AstField::Target));
  return nodes.make<Assign>(Stmt{StmtKind::Assign, span(node)}, nodes.list(std::vector<Expr *>{target}),
                            expression(value));
}

Stmt *AstWalker::augmentedAssign(AstNode node) {
  auto op = BinaryOperator::Add;
  if (!binaryOperatorOf(tree.className(tree.field(node, AstField::Op)), op))
    unsupported(node, "MatMult");
  Expr *target = expression(tree.field(node, AstField::Target));
  return nodes.make<AugAssign>(Stmt{StmtKind::AugAssign, span(node)}, target, op,
                               expression(tree.field(node, AstField::Value)));
}

Stmt *AstWalker::expressionStatement(AstNode node) {
  const AstNode value = tree.field(node, AstField::Value);
  if (tree.className(value) == "Constant")
    return nullptr;
  return nodes.make<ExprStmt>(Stmt{StmtKind::Expression, span(node)}, expression(value));
}

Stmt *AstWalker::ifStatement(AstNode node) {
  const AstNode test = tree.field(node, AstField::Test);
  Expr *condition = expression(test);
  const Body then = statements(node, AstField::Body);
  return nodes.make<If>(Stmt{StmtKind::If, headerSpan(node, test)}, condition, then,
                        statements(node, AstField::Orelse));
}

Stmt *AstWalker::whileStatement(AstNode node) {
  const AstNode test = tree.field(node, AstField::Test);
  Expr *condition = expression(test);
  const Body body = statements(node, AstField::Body);
  return nodes.make<While>(Stmt{StmtKind::While, headerSpan(node, test)}, condition, body,
                           statements(node, AstField::Orelse));
}

Stmt *AstWalker::forStatement(AstNode node) {
  const AstNode iterable = tree.field(node, AstField::Iter);
  Expr *target = assignmentTarget(tree.field(node, AstField::Target));
  const bool isUnrolled = isConsteval(iterable) && tree.list(iterable, AstField::Args).size() == 1;
  Expr *over = isUnrolled ? constevalCall(iterable, Consteval::Yields::Items) : expression(iterable);
  const Body body = statements(node, AstField::Body);
  return nodes.make<For>(Stmt{StmtKind::For, headerSpan(node, iterable)}, target, over, body,
                         statements(node, AstField::Orelse));
}

Stmt *AstWalker::breakStatement(AstNode node) { return nodes.make<Stmt>(StmtKind::Break, span(node)); }

Stmt *AstWalker::continueStatement(AstNode node) { return nodes.make<Stmt>(StmtKind::Continue, span(node)); }

Stmt *AstWalker::passStatement(AstNode) { return nullptr; }

/// `del name` only ends the name's use; a later read of the name is an error in Python too.
Stmt *AstWalker::deleteStatement(AstNode node) {
  for (const AstNode target : tree.list(node, AstField::Targets))
    if (tree.className(target) != "Name")
      unsupported(target, "DelTarget");
  return nullptr;
}

Stmt *AstWalker::returnStatement(AstNode node) {
  return nodes.make<Return>(Stmt{StmtKind::Return, span(node)}, expressionOrNull(tree.field(node, AstField::Value)));
}

Stmt *AstWalker::raiseStatement(AstNode node) {
  if (const AstNode cause = tree.field(node, AstField::Cause); cause && tree.className(cause) != "Constant")
    unsupported(cause, "RaiseCause");
  return nodes.make<Raise>(Stmt{StmtKind::Raise, span(node)}, expressionOrNull(tree.field(node, AstField::Exc)));
}

Stmt *AstWalker::assertStatement(AstNode node) {
  if (!origin.hasAsserts)
    return nullptr;
  Expr *test = expression(tree.field(node, AstField::Test));
  return nodes.make<Assert>(Stmt{StmtKind::Assert, span(node)}, test,
                            expressionOrNull(tree.field(node, AstField::Msg)));
}

Stmt *AstWalker::functionDefinition(AstNode node) {
  if (const std::vector<AstNode> decorators = tree.list(node, AstField::Decorators); !decorators.empty())
    unsupported(decorators.front(), "Decorator");
  const Function *made = function(node, Defaults::Walked);
  return nodes.make<FunctionDef>(Stmt{StmtKind::FunctionDef, made->span}, made->name, made);
}

} // namespace treadle
