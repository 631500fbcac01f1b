// Statements: one method for each ast class that kernels can have.
#include "python/source/ast_walker.h"

namespace nb = nanobind;

namespace treadle::python {

using namespace syntax;

Stmt *AstWalker::statement(Node node) {
  static constexpr Entry<Stmt *(AstWalker::*)(Node)> methods[] = {
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
  };
  const std::string_view className = astClass(node);
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

Body AstWalker::statements(Node node, const nb::object &name) {
  std::vector<Stmt *> result;
  for (const nb::object &item : list(node, name))
    if (Stmt *made = statement(item))
      result.push_back(made);
  return nodes.list(result);
}

Expr *AstWalker::assignmentTarget(Node node) {
  const std::string_view className = astClass(node);
  if (className == "Starred")
    unsupported(node, "StarredTarget");
  if (className != "Tuple" && className != "List")
    return expression(node);
  enter(node);
  std::vector<Expr *> items;
  for (const nb::object &item : list(node, fields.elts))
    items.push_back(assignmentTarget(item));
  --depth;
  const ExprKind kind = className == "Tuple" ? ExprKind::Tuple : ExprKind::List;
  return nodes.make<Sequence>(Expr{kind, span(node)}, nodes.list(items));
}

Stmt *AstWalker::assign(Node node) {
  std::vector<Expr *> targets;
  for (const nb::object &target : list(node, fields.targets))
    targets.push_back(assignmentTarget(target));
  Expr *value = expression(field(node, fields.value));
  return nodes.make<Assign>(Stmt{StmtKind::Assign, span(node)}, nodes.list(targets), value);
}

Stmt *AstWalker::annotatedAssign(Node node) {
  const nb::object value = field(node, fields.value);
  if (value.is_none())
    return nullptr;
  Expr *target = assignmentTarget(field(node, fields.target));
  return nodes.make<Assign>(Stmt{StmtKind::Assign, span(node)}, nodes.list(std::vector<Expr *>{target}),
                            expression(value));
}

Stmt *AstWalker::augmentedAssign(Node node) {
  auto op = BinaryOperator::Add;
  if (!binaryOperatorOf(astClass(field(node, fields.op)), op))
    unsupported(node, "MatMult");
  Expr *target = expression(field(node, fields.target));
  return nodes.make<AugAssign>(Stmt{StmtKind::AugAssign, span(node)}, target, op,
                               expression(field(node, fields.value)));
}

Stmt *AstWalker::expressionStatement(Node node) {
  const nb::object value = field(node, fields.value);
  if (astClass(value) == "Constant")
    return nullptr;
  return nodes.make<ExprStmt>(Stmt{StmtKind::Expression, span(node)}, expression(value));
}

Stmt *AstWalker::ifStatement(Node node) {
  const nb::object test = field(node, fields.test);
  Expr *condition = expression(test);
  const Body then = statements(node, fields.body);
  return nodes.make<If>(Stmt{StmtKind::If, headerSpan(node, test)}, condition, then, statements(node, fields.orelse));
}

Stmt *AstWalker::whileStatement(Node node) {
  const nb::object test = field(node, fields.test);
  Expr *condition = expression(test);
  const Body body = statements(node, fields.body);
  return nodes.make<While>(Stmt{StmtKind::While, headerSpan(node, test)}, condition, body,
                           statements(node, fields.orelse));
}

Stmt *AstWalker::forStatement(Node node) {
  const nb::object iterable = field(node, fields.iter);
  Expr *target = assignmentTarget(field(node, fields.target));
  Expr *over = expression(iterable);
  const Body body = statements(node, fields.body);
  return nodes.make<For>(Stmt{StmtKind::For, headerSpan(node, iterable)}, target, over, body,
                         statements(node, fields.orelse));
}

Stmt *AstWalker::breakStatement(Node node) { return nodes.make<Stmt>(StmtKind::Break, span(node)); }

Stmt *AstWalker::continueStatement(Node node) { return nodes.make<Stmt>(StmtKind::Continue, span(node)); }

Stmt *AstWalker::passStatement(Node) { return nullptr; }

/// `del name` only ends the name's use, and code after it that reads the name is the user's mistake in Python too.
Stmt *AstWalker::deleteStatement(Node node) {
  for (const nb::object &target : list(node, fields.targets))
    if (astClass(target) != "Name")
      unsupported(target, "DelTarget");
  return nullptr;
}

Stmt *AstWalker::returnStatement(Node node) {
  return nodes.make<Return>(Stmt{StmtKind::Return, span(node)}, expressionOrNull(field(node, fields.value)));
}

Stmt *AstWalker::raiseStatement(Node node) {
  if (const nb::object cause = field(node, fields.cause); !cause.is_none() && astClass(cause) != "Constant")
    unsupported(cause, "RaiseCause");
  return nodes.make<Raise>(Stmt{StmtKind::Raise, span(node)}, expressionOrNull(field(node, fields.exc)));
}

Stmt *AstWalker::assertStatement(Node node) {
  Expr *test = expression(field(node, fields.test));
  return nodes.make<Assert>(Stmt{StmtKind::Assert, span(node)}, test, expressionOrNull(field(node, fields.msg)));
}

Stmt *AstWalker::functionDefinition(Node node) {
  if (const std::vector<nb::object> decorators = list(node, fields.decorators); !decorators.empty())
    unsupported(decorators.front(), "Decorator");
  const Function *made = function(node, Defaults::Walked);
  return nodes.make<FunctionDef>(Stmt{StmtKind::FunctionDef, made->span}, made->name, made);
}

} // namespace treadle::python
