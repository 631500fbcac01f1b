// warp_halves: looks for anything that reveals which threads are a warp.
#include "passes/grid/warp_halves.h"

#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include <algorithm>

namespace treadle {

using namespace typed;

namespace {

bool readsWarps(const Expr &node) {
  if (node.kind == ExprKind::Operation)
    return showsWarps(node.as<OperationExpr>().op);
  return node.kind == ExprKind::WarpOp && showsWarps(node.as<WarpOp>().op);
}

/// Heap arrays are memory of a warp. Barriers do not matter: they are the block's.
bool readsWarps(const TypedFunction &function) {
  return function.hasHeapArrays || anyNode(
                                       function, [](const Expr &node) { return readsWarps(node); },
                                       [](const Stmt &node) { return traits(node.kind).showsWarps; });
}

} // namespace

bool canHalveWarps(const TypedFunction &kernel) {
  return std::ranges::none_of(withCallees(kernel), [](const TypedFunction *one) { return readsWarps(*one); });
}

} // namespace treadle
