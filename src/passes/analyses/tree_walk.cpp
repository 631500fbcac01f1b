// Walks over typed trees, built on the walker of typed/walk.h.
#include "passes/analyses/tree_walk.h"

#include "typed/walk.h"

#include <unordered_set>

namespace treadle {

using namespace typed;

/// Conversions that change the value are left out, too: this is for questions about the form of an expression.
const Expr &withoutConversions(const Expr &expression) {
  const Expr *inner = &expression;
  while (isOperation(*inner, Operation::Convert))
    inner = inner->as<OperationExpr>().operands[0];
  return *inner;
}

/// Breadth first: a function comes after one of its callers, not after all of them.
std::vector<const TypedFunction *> withCallees(const TypedFunction &function) {
  std::vector<const TypedFunction *> all{&function};
  std::unordered_set<const TypedFunction *> seen{&function};
  for (size_t i = 0; i < all.size(); ++i)
    for (const auto &callee : all[i]->callees)
      if (seen.insert(callee.get()).second)
        all.push_back(callee.get());
  return all;
}

void forEachOperand(const Expr &expression, llvm::function_ref<void(const Expr &)> visit) {
  forEachPart(expression, visit, [](Body) {});
}

void forEachExpression(const Stmt &statement, llvm::function_ref<void(const Expr &)> visit) {
  forEachPart(statement, visit, [](Body) {});
}

void forEachBody(const Stmt &statement, llvm::function_ref<void(Body)> visit) {
  forEachPart(statement, [](const Expr &) {}, visit);
}

/// Operands and bodies in the order in which they are evaluated, after the node itself.
void TreeVisitor::walk(const Expr &node) const {
  if (!expression(node))
    return;
  forEachPart(node, [this](const Expr &operand) { walk(operand); }, [this](Body body) { walk(body); });
}

void TreeVisitor::walk(const Stmt &node) const {
  if (!statement(node))
    return;
  forEachPart(node, [this](const Expr &operand) { walk(operand); }, [this](Body body) { walk(body); });
}

void TreeVisitor::walk(Body body) const {
  for (const Stmt *node : body)
    walk(*node);
}

} // namespace treadle
