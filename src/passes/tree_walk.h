// Walks over typed trees for passes: operands, statements' expressions and bodies each for themselves, or all below.
#pragma once

#include "typed/typed.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace treadle {

/// Calls `visit` for each direct operand of the expression, in evaluation order. The statements of a Block are no
/// operands.
void forEachOperand(const typed::Expr &expression, llvm::function_ref<void(const typed::Expr &)> visit);

/// Calls `visit` for each expression that the statement evaluates itself, in evaluation order, not for those of its
/// bodies.
void forEachExpression(const typed::Stmt &statement, llvm::function_ref<void(const typed::Expr &)> visit);

/// Calls `visit` for each body of the statement: arms, loop body, else clause.
void forEachBody(const typed::Stmt &statement, llvm::function_ref<void(typed::Body)> visit);

/// Calls `visit` for each node below, the bodies of Blocks included; `visit` gives false to stay out of a node.
struct TreeVisitor {
  std::function<bool(const typed::Expr &)> expression;
  std::function<bool(const typed::Stmt &)> statement;
  void walk(const typed::Expr &node) const;
  void walk(const typed::Stmt &node) const;
  void walk(typed::Body body) const;
};

} // namespace treadle
