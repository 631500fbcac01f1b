// Order of evaluation: operands that a node evaluates in another order than Python, or not at all.
// In `(x[0], f(x))`, f may write to x: Python has read x[0] by then. Operations evaluate their operands from left to
// right, too. Before a node is made that does not, or that may skip an operand, those that such a change could affect
// become temporaries. Most expressions change nothing, and then nothing is stored.
#include "infer/tree/tree.h"

#include "typed/purity.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include <algorithm>
#include <unordered_set>

namespace treadle {

namespace {

/// The observable effects of an evaluation. Reading a clock counts as acting: two readings must not change places.
struct Changes {
  bool acts = false;                                  ///< on memory, on other threads, on the host; or reads a clock
  std::unordered_set<const typed::Slot *> assigned{}; ///< including its own temporaries, which nothing else reads

  bool areNone() const { return !acts && assigned.empty(); }
  /// Whether it has effects other than its result.
  bool mustHappen() const {
    return acts || std::any_of(assigned.begin(), assigned.end(), [](auto *slot) { return !slot->name.empty(); });
  }
};

// By `:=`, or in blocks of statements that rules have made for a value.
std::unordered_set<const typed::Slot *> assignedIn(typed::Roots roots) {
  std::unordered_set<const typed::Slot *> assigned;
  typed::forEachStmt(std::move(roots), [&](const typed::Stmt &node) {
    if (const typed::Slot *slot = typed::assignedSlot(node))
      assigned.insert(slot);
  });
  return assigned;
}

/// A failed check of a debug kernel is an effect: which of two errors is reported depends on the order.
Changes changesOf(const Effects &effects, typed::Roots roots) {
  Changes changes;
  changes.acts = effects.writes || effects.fails || effects.meets || effects.readsClock;
  if (effects.assigns)
    changes.assigned = assignedIn(std::move(roots));
  return changes;
}

Changes changesOf(const typed::Expr &value) { return changesOf(effectsOf(value), {{&value}, {}}); }
Changes changesOf(typed::Body body) { return changesOf(effectsOf(body), {{}, {body}}); }

/// Whether its value depends on being evaluated before or after those changes.
/// A call may read any memory; what it writes is among its own changes.
bool isAffected(const typed::Expr &value, const Changes &changes) {
  if (changes.areNone())
    return false;
  return typed::anyNode(
      {{&value}, {}},
      [&](const typed::Expr &node) {
        if (node.kind == typed::ExprKind::Slot)
          return changes.assigned.contains(node.as<typed::SlotRead>().slot);
        return changes.acts && (node.kind == typed::ExprKind::Load || node.kind == typed::ExprKind::Call);
      },
      [](const typed::Stmt &) { return false; });
}

/// Collects the operands; a display counts as its items.
/// `f(a, (g(), b))`: only g() may need a temporary, not the tuple.
void appendLeaves(typed::Expr *operand, std::vector<typed::Expr *> &leaves) {
  if (operand->kind != typed::ExprKind::Tuple)
    return leaves.push_back(operand);
  for (typed::Expr *item : operand->as<typed::Tuple>().items)
    appendLeaves(item, leaves);
}

/// Operands in the order in which Python evaluates them.
/// Quadratic in the number of operands, but only where some operand changes something.
class Operands {
public:
  explicit Operands(const std::vector<typed::Expr *> &leaves) : leaves(leaves) {
    for (const typed::Expr *leaf : leaves) {
      changes.push_back(changesOf(*leaf));
      changeNothing &= changes.back().areNone();
    }
  }
  bool areHarmless() const { return changeNothing; }
  bool mustHappen(size_t i) const { return changes[i].mustHappen(); }

  /// Whether it must be evaluated before the later operands.
  bool mustComeFirst(size_t i) const {
    for (size_t later = i + 1; later < leaves.size(); ++later)
      if ((changes[i].acts && changes[later].acts) || isAffected(*leaves[i], changes[later]) ||
          isAffected(*leaves[later], changes[i]))
        return true;
    return false;
  }

private:
  const std::vector<typed::Expr *> &leaves;
  std::vector<Changes> changes;
  bool changeNothing = true;
};

/// The operand with its leaves replaced by those from `next` on.
typed::Expr *withLeaves(const typed::Nodes &nodes, typed::Expr *operand, typed::Expr *const *&next) {
  if (operand->kind != typed::ExprKind::Tuple)
    return *next++;
  std::vector<typed::Expr *> items;
  for (typed::Expr *item : operand->as<typed::Tuple>().items)
    items.push_back(withLeaves(nodes, item, next));
  return nodes.tuple(operand->type, items, operand->span);
}

} // namespace

/// While solving, types are the same in any order, and statements would be dropped. Optional: an operand with effects
/// is always stored, as a node that may skip it must not skip these.
void Tree::settle(Items &operands, Settled how) {
  if (!entry->settles())
    return;
  Items leaves;
  for (typed::Expr *operand : operands)
    appendLeaves(operand, leaves);
  const Operands given(leaves);
  if (given.areHarmless())
    return;
  std::vector<bool> stored(leaves.size());
  for (size_t i = 0; i < leaves.size(); ++i)
    stored[i] = given.mustComeFirst(i) || (how == Settled::Optional && given.mustHappen(i));
  for (size_t i = 0; i < leaves.size(); ++i)
    if (stored[i])
      leaves[i] = spill(leaves[i]);
  typed::Expr *const *next = leaves.data();
  for (typed::Expr *&operand : operands)
    operand = withLeaves(*this, operand, next);
}

/// `(1, 2) == f()` is False where f gives three values, and f is called all the same.
typed::Expr *Tree::after(const Items &dropped, typed::Expr *result) {
  return inBlock(result->span, [&] {
    for (typed::Expr *value : dropped)
      if (value && changesOf(*value).mustHappen())
        emitValue(value, value->span);
    return result;
  });
}

/// Python evaluates the value of an assignment before the place that it is stored into: `x[f()] = g()` calls g first.
void Tree::emitAfterwards(typed::Expr *&value, typed::Body rest) {
  const Changes before = changesOf(*value), later = changesOf(rest);
  if (!typed::isConstant(*value) && (before.mustHappen() || isAffected(*value, later)) && !rest.empty())
    value = spill(value);
  for (typed::Stmt *statement : rest)
    emit(statement);
}

} // namespace treadle
