// The values of expressions, from the values of the slots in them.
// Values of tuples are one interval for each leaf, on `stack`, in the order of the leaves. A function that returns one
// interval leaves `stack` as it was.
#include "passes/analyses/tree_walk.h"
#include "passes/ranges/range_walk.h"
#include "support/error.h"

#include <algorithm>

namespace treadle {

using namespace typed;
using intervals::join;

namespace {

constexpr int64_t largestInt32 = std::numeric_limits<int32_t>::max();

} // namespace

unsigned rangeLeaves(const Type *type) {
  if (!type->isTuple())
    return 1;
  unsigned count = 0;
  for (const Type *item : type->items())
    count += rangeLeaves(item);
  return count;
}

/// Bounds of what the hardware tells a thread, from CUDA's limits and the facts of the launch: the sources that bounds
/// of indices come from. `clip` gives all values of a type that cannot hold the bounds, in which the number wraps.
RangeWalk::Interval RangeWalk::seed(Operation op, const Type *type) const {
  auto block = [&](unsigned axis) { return blockLimit(axis, seeds.maxThreadsPerBlock); };
  auto grid = [&](unsigned axis) { return seeds.facts.gridLimit(axis); };
  auto clip = [&](int64_t low, int64_t high) { return intervals::convert(type, {low, high}); };
  if (op == Operation::LaneId)
    return clip(0, 31);
  if (op == Operation::ClusterRank)
    return clip(0, mostClusterBlocks - 1);
  if (op == Operation::ClusterBlocks)
    return clip(1, mostClusterBlocks);
  const std::optional<PositionOnAxis> at = positionOf(op);
  if (!at)
    return intervals::ofType(type);
  switch (at->position) {
  case Position::ThreadIdx:
    return clip(0, block(at->axis) - 1);
  case Position::BlockDim:
    return clip(1, block(at->axis));
  case Position::BlockIdx:
    return clip(0, grid(at->axis) - 1);
  case Position::GridDim:
  case Position::GridClusters:
    return clip(1, grid(at->axis));
  case Position::ClusterIdx:
    return clip(0, grid(at->axis) - 1);
  case Position::BlockInCluster:
    return clip(0, mostClusterBlocks - 1);
  case Position::ClusterDim:
    return clip(1, mostClusterBlocks);
  case Position::Grid:
    return clip(0, grid(at->axis) * block(at->axis) - 1);
  case Position::GridSize:
    return clip(1, grid(at->axis) * block(at->axis));
  }
  TREADLE_CHECK(false);
}

/// For all arrays: views of arguments are no larger than these, and arrays that a thread makes are taken to be smaller.
RangeWalk::Interval RangeWalk::extent() const { return {0, seeds.facts.offsetsFitInt32 ? largestInt32 : maxExtent}; }

RangeWalk::Interval RangeWalk::sizeOf(const Type *array) const {
  if (array->ndim() == 1)
    return extent();
  // Without gaps the last element is at a reachable offset. Otherwise, as some axes may have stride zero, the product
  // may be anything that does not wrap.
  const bool isSmall = seeds.facts.offsetsFitInt32 && array->layout() != Layout::Any;
  return {0, isSmall ? largestInt32 : std::numeric_limits<int64_t>::max()};
}

/// Operands are evaluated even where the result has no range, as they may contain statements and calls. An operation
/// that mixes integers with floats has all values of its type.
RangeWalk::Interval RangeWalk::operationValue(const OperationExpr &expression) {
  size_t first = stack.size();
  evaluateAll(expression.operands);
  Interval result = seed(expression.op, expression.type);
  std::span<Expr *const> operands = expression.operands;
  bool areIntegers = expression.type->isInteger() && !operands.empty() &&
                     std::all_of(operands.begin(), operands.end(), [](const Expr *e) { return e->type->isInteger(); });
  if (areIntegers && expression.op == Operation::Convert)
    result = intervals::convert(expression.type, stack[first]);
  else if (areIntegers && operands.size() == 1)
    result = intervals::unary(expression.op, expression.type, stack[first]);
  else if (areIntegers && operands.size() == 2 && expression.type->isInt())
    result = intervals::binary(expression.op, expression.type, stack[first], stack[first + 1]);
  stack.resize(first);
  return result;
}

/// One interval for each leaf, so that positions on the stack do not depend on what is known.
void RangeWalk::pushUnknown(const Type *type) {
  if (!type->isTuple())
    return stack.push_back(intervals::ofType(type));
  for (const Type *item : type->items())
    pushUnknown(item);
}

RangeWalk::Interval RangeWalk::evaluate(const Expr &expression) {
  size_t first = stack.size();
  push(expression);
  Interval result = stack.size() == first + 1 ? stack[first] : Interval{};
  stack.resize(first);
  return result;
}

void RangeWalk::evaluateAll(std::span<Expr *const> expressions) {
  for (const Expr *expression : expressions)
    push(*expression);
}

/// Adds to the table what each evaluation may yield. Walks under guesses that do not hold add theirs, too: the guess
/// that holds in the end includes all earlier ones. What no thread reaches is not added.
void RangeWalk::push(const Expr &expression) {
  visitsLeft -= visitsLeft > 0;
  size_t first = stack.size();
  switch (expression.kind) {
  case ExprKind::Const:
    stack.push_back(expression.type->isInteger() ? intervals::of(expression.as<Const>().integer) : Interval{});
    break;
  case ExprKind::Slot: {
    uint32_t leaf = leafOf(expression);
    for (unsigned i = 0, count = rangeLeaves(expression.type); i < count; ++i)
      stack.push_back(values[leaf + i]);
    break;
  }
  case ExprKind::Operation:
    stack.push_back(operationValue(expression.as<OperationExpr>()));
    break;
  case ExprKind::Conditional:
    pushConditional(expression.as<Conditional>());
    break;
  case ExprKind::Call:
    pushCall(expression.as<Call>());
    break;
  case ExprKind::Attribute:
    pushAttribute(expression.as<Attribute>());
    break;
  case ExprKind::Tuple:
    evaluateAll(expression.as<Tuple>().items);
    break;
  case ExprKind::Item:
    pushItem(expression.as<Item>());
    break;
  case ExprKind::Block:
    walk(expression.as<Block>().body);
    push(*expression.as<Block>().value);
    break;
  case ExprKind::Load:
  case ExprKind::View:
  case ExprKind::ItemAt:
  case ExprKind::Allocation:
  case ExprKind::HeapArray:
  case ExprKind::Captured:
  case ExprKind::Atomic:
  case ExprKind::WarpOp:
    forEachOperand(expression, [&](const Expr &operand) { evaluate(operand); });
    pushUnknown(expression.type);
    break;
  }
  if (expression.type->isInteger() && isAlive)
    table.add(expression, stack[first]);
}

/// Both arms push their leaves, one after the other; an arm that is never taken has no say in the result.
void RangeWalk::pushConditional(const Conditional &expression) {
  size_t first = stack.size();
  bool reached[2];
  auto arm = [&](const Expr &value, bool &isReached) {
    return [this, &value, &isReached] {
      push(value);
      isReached = isAlive;
    };
  };
  branch(*expression.test, arm(*expression.then, reached[0]), arm(*expression.otherwise, reached[1]));
  unsigned count = rangeLeaves(expression.type);
  for (unsigned i = 0; i < count; ++i) {
    Interval &then = stack[first + i], otherwise = stack[first + count + i];
    then = !reached[1] ? then : !reached[0] ? otherwise : join(then, otherwise);
  }
  stack.resize(first + count);
}

/// What a function returns is not tracked: callers are walked before their callees, whose parameters need all
/// arguments.
void RangeWalk::pushCall(const Call &call) {
  size_t first = stack.size();
  evaluateAll(call.arguments);
  if (isAlive) {
    std::vector<Interval> &known = parameters[call.callee];
    if (known.empty())
      known.assign(stack.begin() + ptrdiff_t(first), stack.end());
    else
      for (size_t i = 0; i < known.size(); ++i)
        known[i] = join(known[i], stack[first + i]);
  }
  stack.resize(first);
  pushUnknown(call.type);
}

/// Facts may state the extents of the kernel's parameters; of all arrays the limits on extents are known.
void RangeWalk::pushAttribute(const Attribute &attribute) {
  evaluate(*attribute.array);
  switch (attribute.attribute) {
  case ArrayAttribute::Shape: {
    const int64_t known = attribute.axis >= 0 ? extents.of(*attribute.array, unsigned(attribute.axis)) : 0;
    stack.insert(stack.end(), rangeLeaves(attribute.type), known == 0 ? extent() : Interval{known, known});
    return;
  }
  case ArrayAttribute::Size:
    stack.push_back(sizeOf(attribute.array->type));
    return;
  case ArrayAttribute::NumBytes:
  case ArrayAttribute::Strides:
  case ArrayAttribute::Address:
    pushUnknown(attribute.type);
    return;
  }
}

void RangeWalk::pushItem(const Item &item) {
  size_t first = stack.size();
  unsigned count = rangeLeaves(item.type);
  // Without reading all of a tuple for each of its items.
  if (const uint32_t leaf = leafOf(item); leaf != noLeaf) {
    stack.insert(stack.end(), values.begin() + leaf, values.begin() + leaf + count);
    return;
  }
  push(*item.tuple);
  size_t place = first;
  for (uint32_t i = 0; i < item.index; ++i)
    place += rangeLeaves(item.tuple->type->items()[i]);
  std::copy_n(stack.begin() + ptrdiff_t(place), count, stack.begin() + ptrdiff_t(first));
  stack.resize(first + count);
}

} // namespace treadle
