// block_spans: looks for anything that reveals which threads share a block.
#include "passes/grid/block_spans.h"

#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"

#include <set>

namespace treadle {

using namespace typed;

namespace {

/// Assignments that `gridIds` makes dead are left out, with the thread indices that they read: code that spans blocks
/// does not run them. Dimensions of block and grid may be read, as they are the same for all threads.
bool readsBlocks(const TypedFunction &function, const GridIds &gridIds, std::set<const TypedFunction *> &seen) {
  if (!seen.insert(&function).second)
    return false;
  if (function.hasBarrier || function.hasSharedMemory || function.hasWarpOps || function.hasHeapArrays ||
      function.usesClusters)
    return true;
  bool found = false;
  TreeVisitor visitor{[&](const Expr &node) {
                        if (gridIds.replaced.contains(&node))
                          return false;
                        if (node.kind == ExprKind::Operation) {
                          const Operation op = node.as<OperationExpr>().op;
                          const auto position = positionOf(op);
                          found |= position && (position->position == Position::ThreadIdx ||
                                                position->position == Position::BlockIdx);
                          found |= showsWarps(op);
                        }
                        if (node.kind == ExprKind::Call)
                          found |= readsBlocks(*node.as<Call>().callee, gridIds, seen);
                        return !found;
                      },
                      [&](const Stmt &node) {
                        found |= traits(node.kind).showsWarps;
                        return !found && !gridIds.dead.contains(&node);
                      }};
  visitor.walk(function.body);
  return found;
}

} // namespace

bool canSpanBlocks(const TypedFunction &kernel, const GridIds &gridIds) {
  std::set<const TypedFunction *> seen;
  return !readsBlocks(kernel, gridIds, seen);
}

} // namespace treadle
