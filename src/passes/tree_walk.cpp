// Walks over typed trees.
#include "passes/tree_walk.h"

namespace treadle {

using namespace typed;

static void visitIndexed(const Indexed &at, llvm::function_ref<void(const typed::Expr &)> visit) {
  visit(*at.array);
  for (const Expr *index : at.indices)
    visit(*index);
}

static void visitAxes(const View &view, llvm::function_ref<void(const typed::Expr &)> visit) {
  visit(*view.array);
  for (const ViewAxis &axis : view.axes)
    for (const Expr *bound : {axis.start, axis.stop, axis.step})
      if (bound)
        visit(*bound);
}

void forEachOperand(const Expr &expression, llvm::function_ref<void(const Expr &)> visit) {
  auto all = [&](std::span<Expr *const> items) {
    for (const Expr *item : items)
      visit(*item);
  };
  switch (expression.kind) {
  case ExprKind::Const:
  case ExprKind::Slot:
  case ExprKind::Allocation:
  case ExprKind::Captured:
    return;
  case ExprKind::Operation:
    return all(expression.as<OperationExpr>().operands);
  case ExprKind::Conditional:
    visit(*expression.as<Conditional>().test);
    visit(*expression.as<Conditional>().then);
    visit(*expression.as<Conditional>().otherwise);
    return;
  case ExprKind::Call:
    return all(expression.as<Call>().arguments);
  case ExprKind::WarpOp:
    return all(expression.as<WarpOp>().operands);
  case ExprKind::Load:
    return visitIndexed(expression.as<Load>().at, visit);
  case ExprKind::View:
    return visitAxes(expression.as<View>(), visit);
  case ExprKind::Attribute:
    return visit(*expression.as<Attribute>().array);
  case ExprKind::Tuple:
    return all(expression.as<Tuple>().items);
  case ExprKind::Item:
    return visit(*expression.as<Item>().tuple);
  case ExprKind::ItemAt:
    visit(*expression.as<ItemAt>().tuple);
    visit(*expression.as<ItemAt>().index);
    return;
  case ExprKind::Block:
    return visit(*expression.as<Block>().value);
  case ExprKind::Atomic:
    visit(*expression.as<Atomic>().value);
    if (expression.as<Atomic>().compare)
      visit(*expression.as<Atomic>().compare);
    return visitIndexed(expression.as<Atomic>().at, visit);
  }
}

void forEachExpression(const Stmt &statement, llvm::function_ref<void(const Expr &)> visit) {
  switch (statement.kind) {
  case StmtKind::Assign:
    return visit(*statement.as<Assign>().value);
  case StmtKind::Store:
    visit(*statement.as<Store>().value);
    return visitIndexed(statement.as<Store>().at, visit);
  case StmtKind::Effect:
    return visit(*statement.as<Effect>().value);
  case StmtKind::If:
    return visit(*statement.as<If>().test);
  case StmtKind::While:
    return visit(*statement.as<While>().test);
  case StmtKind::Range:
    visit(*statement.as<Range>().start);
    visit(*statement.as<Range>().stop);
    visit(*statement.as<Range>().step);
    return;
  case StmtKind::Return:
    if (const Expr *value = statement.as<Return>().value)
      visit(*value);
    return;
  case StmtKind::Assert:
    return visit(*statement.as<Assert>().test);
  case StmtKind::Print:
    for (const Expr *item : statement.as<Print>().items)
      visit(*item);
    return;
  case StmtKind::Barrier:
    if (const Expr *predicate = statement.as<Barrier>().predicate)
      visit(*predicate);
    return;
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Raise:
    return;
  }
}

void forEachBody(const Stmt &statement, llvm::function_ref<void(Body)> visit) {
  switch (statement.kind) {
  case StmtKind::If:
    visit(statement.as<If>().then);
    return visit(statement.as<If>().otherwise);
  case StmtKind::While:
    visit(statement.as<While>().body);
    return visit(statement.as<While>().otherwise);
  case StmtKind::Range:
    visit(statement.as<Range>().body);
    return visit(statement.as<Range>().otherwise);
  default:
    return;
  }
}

void TreeVisitor::walk(const Expr &node) const {
  if (!expression(node))
    return;
  if (node.kind == ExprKind::Block)
    walk(node.as<Block>().body);
  forEachOperand(node, [this](const Expr &operand) { walk(operand); });
}

void TreeVisitor::walk(const Stmt &node) const {
  if (!statement(node))
    return;
  forEachExpression(node, [this](const Expr &operand) { walk(operand); });
  forEachBody(node, [this](Body body) { walk(body); });
}

void TreeVisitor::walk(Body body) const {
  for (const Stmt *node : body)
    walk(*node);
}

} // namespace treadle
