// Walks over typed trees for passes: over operands, statements' expressions or bodies alone, or over everything below.
#pragma once

#include "typed/typed.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <vector>

namespace treadle {

inline bool isOperation(const typed::Expr &expression, Operation op) {
  return expression.kind == typed::ExprKind::Operation && expression.as<typed::OperationExpr>().op == op;
}

/// What is below the expression's conversions.
const typed::Expr &withoutConversions(const typed::Expr &expression);

/// The function and its direct and indirect callees, each once.
std::vector<const TypedFunction *> withCallees(const TypedFunction &function);

/// Calls `visit` for each direct operand of the expression, in evaluation order. The statements of a Block are not
/// operands.
void forEachOperand(const typed::Expr &expression, llvm::function_ref<void(const typed::Expr &)> visit);

/// Calls `visit` for each expression that the statement itself evaluates, in evaluation order, but not for those of its
/// bodies.
void forEachExpression(const typed::Stmt &statement, llvm::function_ref<void(const typed::Expr &)> visit);

/// Calls `visit` for each body of the statement: arms, loop body, else clause.
void forEachBody(const typed::Stmt &statement, llvm::function_ref<void(typed::Body)> visit);

/// Calls `visit` for each node below, including the bodies of Blocks; `visit` returns false to skip a node's children.
struct TreeVisitor {
  std::function<bool(const typed::Expr &)> expression;
  std::function<bool(const typed::Stmt &)> statement;
  void walk(const typed::Expr &node) const;
  void walk(const typed::Stmt &node) const;
  void walk(typed::Body body) const;
};

} // namespace treadle
