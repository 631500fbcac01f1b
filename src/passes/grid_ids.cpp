// grid_ids: matches the sum through conversions and through variables that are assigned once.
#include "passes/grid_ids.h"

#include "passes/assignments.h"
#include "passes/tree_walk.h"

#include <optional>
#include <vector>

namespace treadle {

using namespace typed;

namespace {

class GridMatcher {
public:
  GridMatcher(const TypedFunction &function, GridIds &found)
      : function(function), found(found), values(function.slots.size()), assignments(countAssignments(function)) {}

  void run() {
    TreeVisitor collect{[](const Expr &) { return true; },
                        [&](const Stmt &node) {
                          if (node.kind == StmtKind::Assign)
                            values[node.as<Assign>().slot->index] = node.as<Assign>().value;
                          return true;
                        }};
    collect.walk(function.body);
    TreeVisitor match{[&](const Expr &node) { return !matchSum(node); }, [](const Stmt &) { return true; }};
    match.walk(function.body);
    if (!found.replaced.empty())
      findDead();
  }

private:
  /// The expression below conversions to integers of at least `bits` bits and variables that are assigned once.
  const Expr &resolved(const Expr &expression, unsigned bits) const {
    const Expr *at = &expression;
    while (true) {
      if (at->kind == ExprKind::Slot) {
        const uint32_t slot = at->as<SlotRead>().slot->index;
        if (slot < function.parameterCount || assignments[slot] != 1 || !values[slot])
          return *at;
        at = values[slot];
        continue;
      }
      if (at->kind != ExprKind::Operation || at->as<OperationExpr>().op != Operation::Convert)
        return *at;
      const Expr *operand = at->as<OperationExpr>().operands[0];
      if (!at->type->isInt() || at->type->bits() < bits || !operand->type->isInt() || operand->type->bits() < 32)
        return *at;
      at = operand;
    }
  }

  /// The axis, if the expression is the wanted position, which fits 32 bits.
  std::optional<unsigned> axisOf(const Expr &expression, Position wanted) const {
    const Expr &at = resolved(expression, 32);
    const auto found = at.kind == ExprKind::Operation ? positionOf(at.as<OperationExpr>().op) : std::nullopt;
    return found && found->position == wanted ? std::optional(found->axis) : std::nullopt;
  }

  bool isBlockStart(const Expr &expression, unsigned axis, unsigned bits) const {
    const Expr &product = resolved(expression, bits);
    if (product.kind != ExprKind::Operation || product.as<OperationExpr>().op != Operation::Mul ||
        product.type->bits() < bits)
      return false;
    const auto &operands = product.as<OperationExpr>().operands;
    for (unsigned first : {0u, 1u})
      if (axisOf(*operands[first], Position::BlockIdx) == axis &&
          axisOf(*operands[1 - first], Position::BlockDim) == axis)
        return true;
    return false;
  }

  bool matchSum(const Expr &expression) {
    if (expression.kind != ExprKind::Operation || expression.as<OperationExpr>().op != Operation::Add ||
        !expression.type->isInt() || expression.type->bits() < 32)
      return false;
    const auto &operands = expression.as<OperationExpr>().operands;
    for (unsigned first : {0u, 1u})
      if (const auto axis = axisOf(*operands[first], Position::ThreadIdx))
        if (isBlockStart(*operands[1 - first], *axis, expression.type->bits())) {
          found.replaced[&expression] = operationOf({Position::Grid, *axis});
          return true;
        }
    return false;
  }

  static bool isIdentity(const Expr &expression) {
    bool isOnlyIdentity = true;
    TreeVisitor visitor{[&](const Expr &node) {
                          isOnlyIdentity &= node.kind == ExprKind::Operation || node.kind == ExprKind::Slot ||
                                            node.kind == ExprKind::Const;
                          return isOnlyIdentity;
                        },
                        [](const Stmt &) { return false; }};
    visitor.walk(expression);
    return isOnlyIdentity;
  }

  void findDead() {
    for (size_t before = size_t(-1); before != found.dead.size();) {
      before = found.dead.size();
      std::vector<unsigned> reads(function.slots.size());
      TreeVisitor count{[&](const Expr &node) {
                          if (found.replaced.contains(&node))
                            return false;
                          if (node.kind == ExprKind::Slot)
                            ++reads[node.as<SlotRead>().slot->index];
                          return true;
                        },
                        [&](const Stmt &node) { return !found.dead.contains(&node); }};
      count.walk(function.body);
      TreeVisitor drop{[](const Expr &) { return true; },
                       [&](const Stmt &node) {
                         if (node.kind == StmtKind::Assign && reads[node.as<Assign>().slot->index] == 0 &&
                             isIdentity(*node.as<Assign>().value))
                           found.dead.insert(&node);
                         return true;
                       }};
      drop.walk(function.body);
    }
  }

  const TypedFunction &function;
  GridIds &found;
  std::vector<const Expr *> values;
  const std::vector<unsigned> assignments;
};

void findIn(const TypedFunction &function, GridIds &found, std::unordered_set<const TypedFunction *> &seen) {
  if (!seen.insert(&function).second)
    return;
  GridMatcher(function, found).run();
  for (const auto &callee : function.callees)
    findIn(*callee, found, seen);
}

} // namespace

void findGridIds(const TypedFunction &function, GridIds &found) {
  std::unordered_set<const TypedFunction *> seen;
  findIn(function, found, seen);
}

} // namespace treadle
