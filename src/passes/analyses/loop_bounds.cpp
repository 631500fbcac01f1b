// loop_bounds: counters, and bisected intervals.
#include "passes/analyses/loop_bounds.h"

#include "passes/analyses/tree_walk.h"
#include "typed/loop_exits.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include <algorithm>

namespace treadle {

using namespace typed;

namespace {

/// The maximum number of iterations of a short loop.
constexpr int64_t fewRounds = 4096;

const Slot *slotBehind(const Expr &expression) { return readSlot(withoutConversions(expression)); }

/// An operation with two operands, below conversions.
const OperationExpr *binary(const Expr &expression) {
  const Expr &at = withoutConversions(expression);
  const bool isOne = at.kind == ExprKind::Operation && at.as<OperationExpr>().operands.size() == 2;
  return isOne ? &at.as<OperationExpr>() : nullptr;
}

/// The constant of `slot + constant`; 0 for the slot alone.
std::optional<int64_t> distanceFrom(const Slot *slot, const Expr &expression) {
  if (slotBehind(expression) == slot)
    return 0;
  const OperationExpr *sum = binary(expression);
  if (!sum || slotBehind(*sum->operands[0]) != slot)
    return std::nullopt;
  const std::optional<int64_t> number = constantOf(*sum->operands[1]);
  if (!number || (sum->op != Operation::Add && sum->op != Operation::Sub))
    return std::nullopt;
  return sum->op == Operation::Add ? *number : -*number;
}

class BoundSearch {
public:
  BoundSearch(const While &loop, const LoopInvariants &invariants) : loop(loop), invariants(invariants) {}

  /// One bounded term of a conjunction is enough: `while i < n and x[i] != key`. The other terms can only end it
  /// sooner.
  bool ends(const Expr &test) const {
    if (test.kind == ExprKind::Conditional) { // `and`
      const Conditional &both = test.as<Conditional>();
      const bool isAnd = both.otherwise->kind == ExprKind::Const && both.otherwise->as<Const>().integer == 0;
      return isAnd && (ends(*both.test) || ends(*both.then));
    }
    const OperationExpr *compare = binary(test);
    if (!compare)
      return false;
    const Expr &left = *compare->operands[0], &right = *compare->operands[1];
    switch (compare->op) {
    case Operation::Lt:
    case Operation::Le:
      return moves(left, true, right) || moves(right, false, left) || shrinks(left, right);
    case Operation::Gt:
    case Operation::Ge:
      return moves(left, false, right) || moves(right, true, left) || shrinks(right, left);
    default:
      return false;
    }
  }

private:
  /// Whether each iteration moves the counter up or down by a loop-invariant amount.
  /// `i += step` or `i //= 2` as a statement of the body itself. A second assignment, or one under an `if`, might take
  /// the counter back, or not move it.
  bool moves(const Expr &counter, bool isUp, const Expr &stop) const {
    const Slot *slot = slotBehind(counter);
    const Expr *next = slot && invariants.isFixed(stop) ? onlyValue(slot) : nullptr;
    const OperationExpr *change = next ? binary(*next) : nullptr;
    if (!change || slotBehind(*change->operands[0]) != slot || !invariants.isFixed(*change->operands[1]))
      return false;
    const std::optional<int64_t> number = constantOf(*change->operands[1]);
    switch (change->op) {
    // A non-constant step has the right sign, or else the counter does not end the loop, whatever other threads do.
    case Operation::Add:
      return !number || (isUp ? *number > 0 : *number < 0);
    case Operation::Sub:
      return !number || (isUp ? *number < 0 : *number > 0);
    case Operation::FloorDiv:
      return number && *number > 1 && !isUp;
    case Operation::Shr:
      return number && *number > 0 && !isUp;
    default:
      return false;
    }
  }

  /// The value that each iteration assigns to the slot, if a single statement of the body itself does so.
  const Expr *onlyValue(const Slot *slot) const {
    if (invariants.count(slot) != 1)
      return nullptr;
    for (const Stmt *statement : loop.body)
      if (statement->kind == StmtKind::Assign && statement->as<Assign>().slot == slot)
        return statement->as<Assign>().value;
    return nullptr;
  }

  /// Whether each iteration sets the lower end to more than the middle, or the upper end to the middle or less.
  /// `mid = (low + high) // 2`, then `low = mid + 1` or `high = mid`. The interval loses at least one place each time.
  bool shrinks(const Expr &low, const Expr &high) const {
    const Slot *first = slotBehind(low), *last = slotBehind(high);
    if (!first || !last)
      return false;
    for (const Stmt *statement : loop.body)
      if (statement->kind == StmtKind::Assign) {
        const Slot *middle = statement->as<Assign>().slot;
        if (isMiddle(*statement->as<Assign>().value, first, last) && invariants.count(middle) == 1)
          return cutsAt(middle, first, last);
      }
    return false;
  }

  /// Half the sum, or `first` plus half the distance.
  static bool isMiddle(const Expr &value, const Slot *first, const Slot *last) {
    const OperationExpr *half = binary(value);
    if (half && half->op == Operation::Add && slotBehind(*half->operands[0]) == first)
      return isHalf(*half->operands[1], Operation::Sub, last, first);
    return isHalf(value, Operation::Add, first, last) || isHalf(value, Operation::Add, last, first);
  }

  static bool isHalf(const Expr &value, Operation op, const Slot *left, const Slot *right) {
    const OperationExpr *half = binary(value);
    if (!half)
      return false;
    const std::optional<int64_t> by = constantOf(*half->operands[1]);
    const bool halves = (half->op == Operation::FloorDiv && by == 2) || (half->op == Operation::Shr && by == 1);
    const OperationExpr *whole = halves ? binary(*half->operands[0]) : nullptr;
    return whole && whole->op == op && slotBehind(*whole->operands[0]) == left &&
           slotBehind(*whole->operands[1]) == right;
  }

  /// An end that is set to anything else than the middle, or not set on some path, might not move.
  bool cutsAt(const Slot *middle, const Slot *first, const Slot *last) const {
    const bool isOther = anyNode(loop.body, NoNode(), [&](const Stmt &node) {
      const Slot *slot = assignedSlot(node);
      if (!slot || (slot != first && slot != last))
        return false;
      if (node.kind != StmtKind::Assign)
        return true;
      const auto distance = distanceFrom(middle, *node.as<Assign>().value);
      return !distance || (slot == first ? *distance <= 0 : *distance > 0);
    });
    return !isOther && alwaysAssigns(loop.body, first, last);
  }

  /// Whether every path through the body assigns one of the two, unless it leaves the loop.
  static bool alwaysAssigns(Body body, const Slot *first, const Slot *last) {
    return std::ranges::any_of(body, [&](const Stmt *statement) {
      if (statement->kind == StmtKind::If)
        return alwaysAssigns(statement->as<If>().then, first, last) &&
               alwaysAssigns(statement->as<If>().otherwise, first, last);
      const bool assigns = statement->kind == StmtKind::Assign &&
                           (statement->as<Assign>().slot == first || statement->as<Assign>().slot == last);
      return assigns || statement->kind == StmtKind::Break || statement->kind == StmtKind::Return;
    });
  }

  const While &loop;
  const LoopInvariants &invariants;
};

} // namespace

bool LoopInvariants::isFixed(const Expr &expression) const {
  return !anyNode(expression, [&](const Expr &node) {
    const Slot *slot = readSlot(node);
    return (slot && assigns(slot)) || traits(node.kind).isVolatile;
  });
}

bool LoopInvariants::isFixed(const Indexed &at) const {
  return isFixed(*at.array) && std::ranges::all_of(at.indices, [&](const Expr *index) { return isFixed(*index); });
}

std::optional<int64_t> constantOf(const Expr &expression) {
  const Expr *at = &expression;
  while (isOperation(*at, Operation::Convert) && at->type->isInt())
    at = at->as<OperationExpr>().operands[0];
  return at->kind == ExprKind::Const && at->type->isInt() ? std::optional(at->as<Const>().integer) : std::nullopt;
}

bool isShort(const Range &loop) {
  const auto start = constantOf(*loop.start), stop = constantOf(*loop.stop), step = constantOf(*loop.step);
  if (!start || !stop || !step || *step == 0)
    return false;
  const __int128 way = *step > 0 ? __int128(*stop) - *start : __int128(*start) - *stop;
  return way / (*step > 0 ? __int128(*step) : -__int128(*step)) <= fewRounds;
}

/// The start counts as well as the stop, for ranges that count down.
bool countsAttempts(const Stmt &loop) {
  constexpr int64_t attempts = 1 << 20;
  auto isLarge = [](const Expr &bound) {
    const auto value = constantOf(bound);
    return value && (*value >= attempts || *value <= -attempts);
  };
  if (loop.kind == StmtKind::Range)
    return isLarge(*loop.as<Range>().start) || isLarge(*loop.as<Range>().stop);
  return anyNode(*loop.as<While>().test, isLarge);
}

/// A `continue` may skip the statement that moves the counter.
bool hasOwnBound(const While &loop, const LoopInvariants &invariants) {
  return !loopExits(loop.body).byContinue && BoundSearch(loop, invariants).ends(*loop.test);
}

} // namespace treadle
