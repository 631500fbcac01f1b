// grid_ids: matches the sum through conversions and through variables that are assigned once.
#include "passes/grid/grid_ids.h"

#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include <optional>
#include <vector>

namespace treadle {

using namespace typed;

namespace {

class GridMatcher {
public:
  GridMatcher(const TypedFunction &function, const Uses &uses, GridIds &found)
      : function(function), uses(uses), found(found) {}

  void run() {
    TreeVisitor match{[&](const Expr &node) { return !matchSum(node); }, [](const Stmt &) { return true; }};
    match.walk(function.body);
    if (!found.replaced.empty())
      findDead();
  }

private:
  /// The expression below conversions to integers of at least `bits` bits and variables that are assigned once.
  /// A narrower conversion may cut bits off, after which the sum is not the position any more.
  const Expr &resolved(const Expr &expression, unsigned bits) const {
    const Expr *at = &expression;
    while (true) {
      if (const Slot *slot = readSlot(*at)) {
        const Expr *value = slot->isParameter ? nullptr : uses.onlyValue(*slot);
        if (!value)
          return *at;
        at = value;
        continue;
      }
      if (!isOperation(*at, Operation::Convert))
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

  /// The product must have the bits of the sum: one of 32 bits that is widened afterwards wraps where the position does
  /// not.
  bool isBlockStart(const Expr &expression, unsigned axis, unsigned bits) const {
    const Expr &product = resolved(expression, bits);
    if (!isOperation(product, Operation::Mul) || product.type->bits() < bits)
      return false;
    const auto &operands = product.as<OperationExpr>().operands;
    for (unsigned first : {0u, 1u})
      if (axisOf(*operands[first], Position::BlockIdx) == axis &&
          axisOf(*operands[1 - first], Position::BlockDim) == axis)
        return true;
    return false;
  }

  bool matchSum(const Expr &expression) {
    if (!isOperation(expression, Operation::Add) || !expression.type->isInt() || expression.type->bits() < 32)
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

  /// Nothing that has an effect, and nothing but the arithmetic of positions: an assignment that loads or calls stays.
  static bool isIdentity(const Expr &expression) {
    return !anyNode(expression, [](const Expr &node) {
      return node.kind != ExprKind::Operation && node.kind != ExprKind::Slot && node.kind != ExprKind::Const;
    });
  }

  /// Repeated, as the value of a dead assignment may have been the last reader of another variable.
  void findDead() {
    for (size_t before = size_t(-1); before != found.dead.size();) {
      before = found.dead.size();
      std::vector<unsigned> reads(function.slots.size());
      TreeVisitor count{[&](const Expr &node) {
                          if (found.replaced.contains(&node))
                            return false;
                          if (const Slot *slot = readSlot(node))
                            ++reads[slot->index];
                          return true;
                        },
                        [&](const Stmt &node) { return !found.dead.contains(&node); }};
      count.walk(function.body);
      forEachStmt(function, [&](const Stmt &node) {
        if (node.kind == StmtKind::Assign && reads[node.as<Assign>().slot->index] == 0 &&
            isIdentity(*node.as<Assign>().value))
          found.dead.insert(&node);
      });
    }
  }

  const TypedFunction &function;
  const Uses &uses;
  GridIds &found;
};

} // namespace

void findGridIds(const TypedFunction &function, const UsesTable &uses, GridIds &found) {
  for (const TypedFunction *one : withCallees(function))
    GridMatcher(*one, uses.of(*one), found).run();
}

} // namespace treadle
