// Walks typed trees: the parts of a node in order of evaluation.
#pragma once

#include "typed/typed.h"

#include <utility>
#include <vector>

namespace treadle::typed {

/// Calls `visit(const Expr &)` for the direct subexpressions of an expression, and `enter(Body)` for its statements.
template <typename Visit, typename Enter> void forEachPart(const Expr &expression, Visit visit, Enter enter) {
  auto indexed = [&](const Indexed &at) {
    visit(*at.array);
    for (const Expr *index : at.indices)
      visit(*index);
  };
  auto list = [&](std::span<Expr *const> parts) {
    for (const Expr *part : parts)
      visit(*part);
  };
  auto maybe = [&](const Expr *part) {
    if (part)
      visit(*part);
  };
  switch (expression.kind) {
  case ExprKind::Const:
  case ExprKind::Slot:
  case ExprKind::Allocation:
  case ExprKind::Captured:
    return;
  case ExprKind::Operation:
    return list(expression.as<OperationExpr>().operands);
  case ExprKind::Conditional:
    visit(*expression.as<Conditional>().test);
    visit(*expression.as<Conditional>().then);
    return visit(*expression.as<Conditional>().otherwise);
  case ExprKind::Call:
    return list(expression.as<Call>().arguments);
  case ExprKind::WarpOp:
    return list(expression.as<WarpOp>().operands);
  case ExprKind::Load:
    return indexed(expression.as<Load>().at);
  case ExprKind::HeapArray:
    return visit(*expression.as<HeapArray>().count);
  case ExprKind::View:
    visit(*expression.as<View>().array);
    for (const ViewAxis &axis : expression.as<View>().axes) {
      maybe(axis.start);
      maybe(axis.stop);
      maybe(axis.step);
    }
    return;
  case ExprKind::Attribute:
    return visit(*expression.as<Attribute>().array);
  case ExprKind::Tuple:
    return list(expression.as<Tuple>().items);
  case ExprKind::Item:
    return visit(*expression.as<Item>().tuple);
  case ExprKind::ItemAt:
    visit(*expression.as<ItemAt>().tuple);
    return visit(*expression.as<ItemAt>().index);
  case ExprKind::Block:
    enter(expression.as<Block>().body);
    return visit(*expression.as<Block>().value);
  case ExprKind::Atomic:
    indexed(expression.as<Atomic>().at);
    maybe(expression.as<Atomic>().compare);
    return visit(*expression.as<Atomic>().value);
  }
}

/// The same for the direct subexpressions and bodies of a statement.
template <typename Visit, typename Enter> void forEachPart(const Stmt &statement, Visit visit, Enter enter) {
  switch (statement.kind) {
  case StmtKind::Assign:
    return visit(*statement.as<Assign>().value);
  case StmtKind::Store:
    visit(*statement.as<Store>().value);
    visit(*statement.as<Store>().at.array);
    for (const Expr *index : statement.as<Store>().at.indices)
      visit(*index);
    return;
  case StmtKind::Effect:
    return visit(*statement.as<Effect>().value);
  case StmtKind::If:
    visit(*statement.as<If>().test);
    enter(statement.as<If>().then);
    return enter(statement.as<If>().otherwise);
  case StmtKind::While:
    visit(*statement.as<While>().test);
    enter(statement.as<While>().body);
    return enter(statement.as<While>().otherwise);
  case StmtKind::Range:
    visit(*statement.as<Range>().start);
    visit(*statement.as<Range>().stop);
    visit(*statement.as<Range>().step);
    enter(statement.as<Range>().body);
    return enter(statement.as<Range>().otherwise);
  case StmtKind::Return:
    if (statement.as<Return>().value)
      visit(*statement.as<Return>().value);
    return;
  case StmtKind::Assert:
    return visit(*statement.as<Assert>().test);
  case StmtKind::Print:
    for (const Expr *item : statement.as<Print>().items)
      visit(*item);
    return;
  case StmtKind::Barrier:
    if (statement.as<Barrier>().predicate)
      visit(*statement.as<Barrier>().predicate);
    return;
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Raise:
    return;
  }
}

/// The starting points of a walk over whole trees.
struct Roots {
  Roots(const Expr &expression) : expressions{&expression} {}
  Roots(const Stmt &statement) : statement(&statement) {}
  Roots(Body body) : bodies{body} {}
  Roots(const TypedFunction &function) : bodies{function.body} {}
  Roots(std::vector<const Expr *> expressions, std::vector<Body> bodies)
      : expressions(std::move(expressions)), bodies(std::move(bodies)) {}

  std::vector<const Expr *> expressions;
  std::vector<Body> bodies;
  const Stmt *statement = nullptr;
};

struct NoNode {
  bool operator()(const auto &) const { return false; }
};

/// Whether any node at or below the roots satisfies its predicate. The order is unspecified; work is kept in lists,
/// since trees may be deeper than the stack.
template <typename IsExpr, typename IsStmt = NoNode> bool anyNode(Roots roots, IsExpr isExpr, IsStmt isStmt = {}) {
  auto visit = [&](const Expr &part) { roots.expressions.push_back(&part); };
  auto enter = [&](Body body) { roots.bodies.push_back(body); };
  if (roots.statement) {
    if (isStmt(*roots.statement))
      return true;
    forEachPart(*roots.statement, visit, enter);
  }
  while (!roots.expressions.empty() || !roots.bodies.empty()) {
    if (!roots.expressions.empty()) {
      const Expr &next = *roots.expressions.back();
      roots.expressions.pop_back();
      if (isExpr(next))
        return true;
      forEachPart(next, visit, enter);
      continue;
    }
    const Body body = roots.bodies.back();
    roots.bodies.pop_back();
    for (const Stmt *statement : body) {
      if (isStmt(*statement))
        return true;
      forEachPart(*statement, visit, enter);
    }
  }
  return false;
}

/// Calls its function for every expression and statement at or below the roots, in no particular order.
template <typename UseExpr, typename UseStmt> void forEachNode(Roots roots, UseExpr useExpr, UseStmt useStmt) {
  auto expression = [&](const Expr &node) {
    useExpr(node);
    return false;
  };
  auto statement = [&](const Stmt &node) {
    useStmt(node);
    return false;
  };
  anyNode(std::move(roots), expression, statement);
}
template <typename Use> void forEachExpr(Roots roots, Use use) { forEachNode(std::move(roots), use, NoNode()); }
template <typename Use> void forEachStmt(Roots roots, Use use) { forEachNode(std::move(roots), NoNode(), use); }

} // namespace treadle::typed
