// Narrows slots by the outcome of a test.
// `if i + 1 < n:` bounds `i` from above in one arm and from below in the other. Everything here is about integers,
// which have no NaN: a comparison that fails is the opposite comparison that holds.
#include "passes/ranges/range_walk.h"

#include <algorithm>

namespace treadle {

using namespace typed;
using intervals::Numbers;

namespace {

Operation negated(Operation op) {
  switch (op) {
  case Operation::Eq:
    return Operation::Ne;
  case Operation::Ne:
    return Operation::Eq;
  case Operation::Lt:
    return Operation::Ge;
  case Operation::Le:
    return Operation::Gt;
  case Operation::Gt:
    return Operation::Le;
  default:
    return Operation::Lt;
  }
}

/// The part of `left` for which `left op right` holds with some value of `right`.
Numbers remaining(Operation op, Numbers left, Numbers right) {
  switch (op) {
  case Operation::Eq:
    return {std::max(left.low, right.low), std::min(left.high, right.high)};
  case Operation::Ne:
    // An interval has no holes: only a value at one of its ends can be excluded.
    if (right.low == right.high) {
      left.low += left.low == right.low;
      left.high -= left.high == right.high;
    }
    return left;
  case Operation::Lt:
    return {left.low, std::min(left.high, right.high - 1)};
  case Operation::Le:
    return {left.low, std::min(left.high, right.high)};
  case Operation::Gt:
    return {std::max(left.low, right.low + 1), left.high};
  default:
    return {std::max(left.low, right.low), left.high};
  }
}

/// `a and b` is `b if a else False`, and `a or b` is `True if a else b`: the constant arm is how they are recognised.
bool isFalse(const Expr &expression) {
  return expression.kind == ExprKind::Const && expression.as<Const>().integer == 0;
}

bool isTrue(const Expr &expression) {
  return expression.kind == ExprKind::Const && expression.as<Const>().integer != 0;
}

} // namespace

/// The parts of a test are entered in the order in which they run, so that what the first part of `i < n and (j :=
/// x[i]) > 0` implies holds for the statements in the second. A test without statements changes no slot on its way and
/// is read as a whole afterwards.
void RangeWalk::enter(const Expr &test, bool outcome) {
  if (outline.withBlocks.contains(&test))
    return enterInside(test, outcome);
  evaluate(test);
  assume(test, outcome);
}

void RangeWalk::enterInside(const Expr &test, bool outcome) {
  if (test.kind == ExprKind::Block) {
    walk(test.as<Block>().body);
    return enter(*test.as<Block>().value, outcome);
  }
  if (test.kind == ExprKind::Conditional) {
    // There is only one way for `a and b` to be true, and for `a or b` to be false.
    const auto &choice = test.as<Conditional>();
    if (outcome ? isFalse(*choice.otherwise) : isTrue(*choice.otherwise)) {
      enter(*choice.test, true);
      return enter(*choice.then, outcome);
    }
    if (outcome ? isFalse(*choice.then) : isTrue(*choice.then)) {
      enter(*choice.test, false);
      return enter(*choice.otherwise, outcome);
    }
  }
  evaluate(test);
  if (test.kind != ExprKind::Operation)
    return;
  // The other operand may have read a slot before the statements of this one assign it: only `(i := ...) < n` is safe.
  const auto &operation = test.as<OperationExpr>();
  bool isAssignedFirst = operation.operands.size() == 2 && operation.operands[0]->kind == ExprKind::Block &&
                         !outline.withBlocks.contains(operation.operands[0]->as<Block>().value) &&
                         !outline.withBlocks.contains(operation.operands[1]);
  if (isAssignedFirst)
    assume(test, outcome);
}

void RangeWalk::assumeChoice(const Conditional &choice, bool outcome) {
  if (outcome ? isFalse(*choice.otherwise) : isTrue(*choice.otherwise)) {
    assume(*choice.test, true);
    assume(*choice.then, outcome);
  } else if (outcome ? isFalse(*choice.then) : isTrue(*choice.then)) {
    assume(*choice.test, false);
    assume(*choice.otherwise, outcome);
  }
}

/// Requires that no slot has been assigned since the test was evaluated: its operands are looked up as they are now. A
/// test that cannot have this outcome ends the path (`isAlive`), and nothing that follows on it goes into the table.
void RangeWalk::assume(const Expr &test, bool outcome) {
  if (!isAlive || !test.type->isBool())
    return;
  if (test.kind == ExprKind::Const) {
    isAlive = (test.as<Const>().integer != 0) == outcome;
    return;
  }
  if (test.kind == ExprKind::Conditional)
    return assumeChoice(test.as<Conditional>(), outcome);
  if (test.kind != ExprKind::Operation)
    return;
  const auto &operation = test.as<OperationExpr>();
  switch (operation.op) {
  case Operation::Not:
    return assume(*operation.operands[0], !outcome);
  case Operation::Convert:
    return assume(*operation.operands[0], outcome);
  case Operation::BitAnd:
  case Operation::BitOr:
    if (outcome == (operation.op == Operation::BitAnd))
      for (const Expr *operand : operation.operands)
        assume(*operand, outcome);
    return;
  case Operation::Eq:
  case Operation::Ne:
  case Operation::Lt:
  case Operation::Le:
  case Operation::Gt:
  case Operation::Ge:
    return assumeComparison(operation, outcome);
  default:
    return;
  }
}

/// Operands are compared as numbers: of uint64, values of 2^63 and more are the largest, although their bounds are
/// negative.
void RangeWalk::assumeComparison(const OperationExpr &test, bool outcome) {
  const Expr &left = *test.operands[0], &right = *test.operands[1];
  if (!left.type->isInt() || !right.type->isInt())
    return;
  Operation op = outcome ? test.op : negated(test.op);
  Numbers a = intervals::numbers(left.type, now(left)), b = intervals::numbers(right.type, now(right));
  Numbers newLeft = remaining(op, a, b), newRight = remaining(mirrored(op), b, a);
  if (newLeft.low > newLeft.high || newRight.low > newRight.high) {
    isAlive = false;
    return;
  }
  narrow(left, intervals::within(left.type, newLeft));
  narrow(right, intervals::within(right.type, newRight));
}

uint32_t RangeWalk::leafOf(const Expr &expression) const {
  if (expression.kind == ExprKind::Slot)
    return firstLeaf[expression.as<SlotRead>().slot->index];
  if (expression.kind != ExprKind::Item)
    return noLeaf;
  const auto &item = expression.as<Item>();
  uint32_t leaf = leafOf(*item.tuple);
  if (leaf == noLeaf)
    return noLeaf;
  for (uint32_t i = 0; i < item.index; ++i)
    leaf += rangeLeaves(item.tuple->type->items()[i]);
  return leaf;
}

/// Of a slot, the values at this point of the walk, which tests may have narrowed since. The table joins those of all
/// evaluations of an expression, so it is never narrower than what holds here.
RangeWalk::Interval RangeWalk::now(const Expr &expression) const {
  if (!expression.type->isInteger())
    return intervals::ofType(expression.type);
  uint32_t leaf = leafOf(expression);
  return leaf == noLeaf ? table.of(expression) : values[leaf];
}

const Expr &RangeWalk::withoutConversions(const Expr &expression) const {
  const Expr *inner = &expression;
  while (inner->kind == ExprKind::Operation && inner->as<OperationExpr>().op == Operation::Convert) {
    const Expr &operand = *inner->as<OperationExpr>().operands[0];
    if (!inner->type->isInt() || !operand.type->isInt())
      break;
    // A conversion to 64 bits keeps the bits that the bounds describe; any other conversion keeps only values that fit.
    if (inner->type->bits() != 64 && !intervals::contains(intervals::ofType(inner->type), now(operand)))
      break;
    inner = &operand;
  }
  return *inner;
}

/// Follows the expression down to slots, through sums and differences only: they cover what indices are tested for, and
/// the bounds of the one operand follow from those of the other without a division.
void RangeWalk::narrow(const Expr &whole, Interval bounds) {
  if (!isAlive || !whole.type->isInt())
    return;
  const Expr &expression = withoutConversions(whole);
  if (uint32_t leaf = leafOf(expression); leaf != noLeaf)
    return narrowLeaf(leaf, bounds);
  if (expression.kind == ExprKind::Block)
    return narrow(*expression.as<Block>().value, bounds);
  if (expression.kind != ExprKind::Operation)
    return;
  const auto &operation = expression.as<OperationExpr>();
  if (operation.op == Operation::Add || operation.op == Operation::Sub)
    narrowOperands(operation, bounds);
}

/// Bounds of a sum that may have wrapped say nothing about its operands, as `i + 1 < n` holds for the largest `i`.
void RangeWalk::narrowOperands(const OperationExpr &sum, Interval bounds) {
  const Expr &left = *sum.operands[0], &right = *sum.operands[1];
  Interval a = now(left), b = now(right);
  if (!intervals::isExact(sum.op, sum.type, a, b))
    return;
  // Differences saturate at the ends of int64, which do not bound anything.
  auto difference = [](Interval x, Interval y) {
    auto clamp = [](__int128 value) {
      return int64_t(
          std::clamp<__int128>(value, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()));
    };
    return Interval{clamp(__int128(x.low) - y.high), clamp(__int128(x.high) - y.low)};
  };
  auto opposite = [&](Interval x) { return difference({0, 0}, x); };
  if (sum.op == Operation::Add) {
    narrow(left, difference(bounds, b));
    narrow(right, difference(bounds, a));
    return;
  }
  narrow(left, difference(bounds, opposite(b)));
  narrow(right, difference(a, bounds));
}

} // namespace treadle
