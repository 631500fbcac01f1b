// warp_halves: looks for anything that reveals which threads are a warp.
#include "passes/warp_halves.h"

#include "passes/tree_walk.h"

#include <set>

namespace treadle {

using namespace typed;

static bool readsWarps(const Expr &node) {
  if (node.kind == ExprKind::Operation) {
    const Operation op = node.as<OperationExpr>().op;
    return op == Operation::LaneId || op == Operation::LaneMaskLt;
  }
  if (node.kind != ExprKind::WarpOp)
    return false;
  const WarpOperation op = node.as<WarpOp>().op;
  return isSynchronizing(op) || op == WarpOperation::ActiveMask;
}

static bool readsWarps(const TypedFunction &function, std::set<const TypedFunction *> &seen) {
  if (!seen.insert(&function).second)
    return false;
  if (function.hasHeapArrays)
    return true;
  bool found = false;
  TreeVisitor visitor{[&](const Expr &node) {
                        found |= readsWarps(node);
                        if (node.kind == ExprKind::Call)
                          found |= readsWarps(*node.as<Call>().callee, seen);
                        return !found;
                      },
                      [&](const Stmt &node) {
                        found |= node.kind == StmtKind::Print;
                        return !found;
                      }};
  visitor.walk(function.body);
  return found;
}

bool canHalveWarps(const TypedFunction &kernel) {
  std::set<const TypedFunction *> seen;
  return !readsWarps(kernel, seen);
}

} // namespace treadle
