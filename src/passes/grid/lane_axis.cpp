// lane_axis: steps of addresses from thread to thread along each axis of the grid.
#include "passes/grid/lane_axis.h"

#include "passes/analyses/tree_walk.h"
#include "passes/grid/block_spans.h"
#include "support/error.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include <algorithm>
#include <array>
#include <vector>

namespace treadle {

using namespace typed;

namespace {

constexpr unsigned axes = 3;

/// By how much a value differs between neighbours on each axis, if that is a small constant.
/// Rises from `same` or a small number to `far`, never back, so a walk up to a fixed point ends. A wrong step costs
/// speed, never a result: the launch may choose any axis.
struct Steps {
  static constexpr int8_t far = 127, mostNear = 4;
  std::array<int8_t, axes> along = {};

  static Steps same() { return {}; }
  static int8_t limited(int step) { return step >= -mostNear && step <= mostNear ? int8_t(step) : far; }
  bool isSame() const { return *this == Steps(); }
  bool operator==(const Steps &) const = default;

  template <typename Combine> static Steps each(const Steps &a, const Steps &b, Combine combine) {
    Steps result;
    for (unsigned axis = 0; axis < axes; ++axis)
      result.along[axis] = combine(a.along[axis], b.along[axis]);
    return result;
  }
  friend Steps operator+(const Steps &a, const Steps &b) {
    return each(a, b, [](int8_t x, int8_t y) { return x == far || y == far ? far : limited(x + y); });
  }
  Steps times(int64_t factor) const {
    return each(*this, *this, [&](int8_t x, int8_t) {
      return x == 0 || factor == 0                                 ? int8_t(0)
             : x == far || factor > mostNear || factor < -mostNear ? far
                                                                   : limited(int(x * factor));
    });
  }
  /// Far where any of the two differs between neighbours.
  static Steps scattered(const Steps &a, const Steps &b) {
    return each(a, b, [](int8_t x, int8_t y) { return x == 0 && y == 0 ? int8_t(0) : far; });
  }
  static Steps join(const Steps &a, const Steps &b) {
    return each(a, b, [](int8_t x, int8_t y) { return x == y ? x : far; });
  }
};

/// The weight of an access to elements by a warp that runs along an axis.
/// An element that neighbours share is one load for the warp, adjacent elements are one vector; a few apart takes
/// shuffles, and `far` is a gather, from up to as many lines as there are lanes.
uint64_t costOf(int8_t step) {
  const int distance = step < 0 ? -step : step;
  return distance == 0 ? 0 : distance == 1 ? 1 : distance <= Steps::mostNear ? 4 : 16;
}

/// What is shared by the walks over a kernel and its callees.
struct Tally {
  std::array<uint64_t, axes> cost = {};
  int64_t nodesLeft = 20'000; ///< bounds callees that are walked once per call
};

/// One activation of a function.
class Walk {
public:
  Walk(const TypedFunction &function, const std::vector<Steps> &arguments, uint64_t weight, Tally &tally)
      : function(function), slots(function.slots.size()), weight(weight), tally(tally) {
    for (unsigned i = 0; i < arguments.size(); ++i)
      slots[i] = {arguments[i], true};
  }

  /// The steps of the result. Values rise until nothing changes, then accesses are counted.
  Steps run() {
    constexpr unsigned mostRounds = 8; // each slot rises twice at most per axis; chains of loops are short
    for (unsigned round = 0; round < mostRounds; ++round) {
      changed = false;
      walk(function.body);
      if (!changed)
        break;
    }
    counts = true;
    walk(function.body);
    return result;
  }

private:
  struct Known {
    Steps steps;
    bool isSet = false;
  };

  void walk(Body body) {
    for (const Stmt *statement : body)
      walk(*statement);
  }

  /// The length of loops is not known: each is taken for a few iterations, so that inner accesses outweigh outer ones.
  void walk(const Stmt &statement) {
    const uint64_t outside = weight;
    if (statement.kind == StmtKind::Range) {
      const auto &range = statement.as<Range>();
      const Steps start = stepsOf(*range.start), step = stepsOf(*range.step);
      stepsOf(*range.stop);
      raise(*range.slot, step.isSame() ? start : Steps::scattered(start, step));
    } else if (statement.kind == StmtKind::Assign) {
      raise(*statement.as<Assign>().slot, stepsOf(*statement.as<Assign>().value));
    } else if (statement.kind == StmtKind::Store) {
      stepsOf(*statement.as<Store>().value);
      countAccess(statement.as<Store>().at);
    } else if (statement.kind == StmtKind::Return && statement.as<Return>().value) {
      const Steps steps = stepsOf(*statement.as<Return>().value);
      result = returns ? Steps::join(result, steps) : steps;
      returns = true;
    } else {
      forEachExpression(statement, [&](const Expr &part) { stepsOf(part); });
    }
    constexpr uint64_t iterations = 8, mostWeight = uint64_t(1) << 24;
    if (traits(statement.kind).loops)
      weight = std::min(weight * iterations, mostWeight);
    forEachBody(statement, [&](Body body) { walk(body); });
    weight = outside;
  }

  void raise(const Slot &slot, const Steps &steps) {
    Known &known = slots[slot.index];
    const Steps joined = known.isSet ? Steps::join(known.steps, steps) : steps;
    changed |= !known.isSet || joined != known.steps;
    known = {joined, true};
  }

  /// Counts the accesses below. Of an array: the steps of the address of its first element.
  Steps stepsOf(const Expr &expression) {
    if (--tally.nodesLeft < 0)
      return Steps::same();
    switch (expression.kind) {
    case ExprKind::Slot:
      return slots[expression.as<SlotRead>().slot->index].steps;
    case ExprKind::Operation:
      return ofOperation(expression.as<OperationExpr>());
    case ExprKind::Load:
      return countAccess(expression.as<Load>().at);
    case ExprKind::Atomic:
      stepsOf(*expression.as<Atomic>().value);
      return countAccess(expression.as<Atomic>().at);
    case ExprKind::View:
      return ofView(expression.as<View>());
    case ExprKind::Call:
      return ofCall(expression.as<Call>());
    case ExprKind::Block:
      walk(expression.as<Block>().body);
      return stepsOf(*expression.as<Block>().value);
    case ExprKind::Conditional: {
      const auto &choice = expression.as<Conditional>();
      stepsOf(*choice.test);
      const Steps then = stepsOf(*choice.then);
      return Steps::join(then, stepsOf(*choice.otherwise));
    }
    case ExprKind::Item:
      return stepsOf(*expression.as<Item>().tuple);
    case ExprKind::Const:
    case ExprKind::Attribute:
    case ExprKind::Tuple:
    case ExprKind::ItemAt:
    case ExprKind::Allocation:
    case ExprKind::HeapArray:
    case ExprKind::Captured:
    case ExprKind::WarpOp:
      return ofParts(expression);
    }
    failCheck("a known expression", __FILE__, __LINE__);
  }

  Steps ofParts(const Expr &expression) {
    Steps all;
    forEachOperand(expression, [&](const Expr &part) { all = Steps::scattered(all, stepsOf(part)); });
    return all;
  }

  Steps ofOperation(const OperationExpr &operation) {
    if (const auto at = positionOf(operation.op)) {
      Steps steps;
      steps.along[at->axis] = at->position == Position::Grid || at->position == Position::ThreadIdx;
      return steps;
    }
    const auto operand = [&](unsigned i) { return stepsOf(*operation.operands[i]); };
    switch (operation.op) {
    case Operation::Convert:
      return operation.type->isInteger() ? operand(0) : ofParts(operation);
    case Operation::Neg:
      return operand(0).times(-1);
    case Operation::Add: {
      const Steps left = operand(0);
      return left + operand(1);
    }
    case Operation::Sub: {
      const Steps left = operand(0);
      return left + operand(1).times(-1);
    }
    case Operation::Mul:
      return ofProduct(operation);
    case Operation::Min: // clamped indices move with the index in most places
    case Operation::Max:
    case Operation::Mod:
      return ofUniformSecond(operation);
    default:
      return ofParts(operation);
    }
  }

  /// By a constant only: a product with an extent, `i * width`, is far from its neighbour's whatever the extent is.
  Steps ofProduct(const OperationExpr &product) {
    const Steps left = stepsOf(*product.operands[0]), right = stepsOf(*product.operands[1]);
    for (unsigned i : {0u, 1u}) {
      const Expr &factor = withoutConversions(*product.operands[i]);
      if (factor.kind == ExprKind::Const && factor.type->isInteger())
        return (i == 0 ? right : left).times(factor.as<Const>().integer);
    }
    return Steps::scattered(left, right);
  }

  Steps ofUniformSecond(const OperationExpr &operation) {
    const Steps left = stepsOf(*operation.operands[0]), right = stepsOf(*operation.operands[1]);
    if (right.isSame())
      return left;
    return left.isSame() ? right : Steps::scattered(left, right);
  }

  /// The address is that of the array, and of its indices.
  /// Only the index that counts adjacent elements moves the address by its own steps; by any other, it is rows apart.
  Steps addressOf(const Type &array, const Steps &base, std::span<Expr *const> indices) {
    Steps address = base;
    const size_t unit = array.layout() == Layout::F ? 0 : indices.size() - 1;
    for (size_t i = 0; i < indices.size(); ++i) {
      const Steps index = stepsOf(*indices[i]);
      address = address + (i == unit ? index : Steps::scattered(index, index));
    }
    return address;
  }

  /// The steps of the element: it is the same where its address is.
  Steps countAccess(const Indexed &at) {
    const Steps address = addressOf(*at.array->type, stepsOf(*at.array), at.indices);
    // The elements of local arrays at equal indices lie side by side for the lanes of a warp, along any axis.
    if (counts && at.array->type->space() != Space::Local)
      for (unsigned axis = 0; axis < axes; ++axis)
        tally.cost[axis] += weight * costOf(address.along[axis]);
    return Steps::scattered(address, address);
  }

  Steps ofView(const View &view) {
    Steps address = stepsOf(*view.array);
    if (view.view != ViewKind::Axes) {
      for (const ViewAxis &axis : view.axes)
        stepsOf(*axis.start);
      return address;
    }
    const size_t unit = view.array->type->layout() == Layout::F ? 0 : view.array->type->ndim() - 1;
    size_t position = 0;
    for (const ViewAxis &axis : view.axes) {
      for (const Expr *part : {axis.stop, axis.step})
        if (part)
          stepsOf(*part);
      if (axis.start) {
        const Steps start = stepsOf(*axis.start);
        address = address + (position == unit ? start : Steps::scattered(start, start));
      }
      position += axis.kind != ViewAxis::Kind::NewAxis;
    }
    return address;
  }

  /// Once per call, as arguments differ; accesses are counted in the last walk of the caller only, when its values are
  /// final.
  Steps ofCall(const Call &call) {
    std::vector<Steps> arguments;
    for (const Expr *argument : call.arguments)
      arguments.push_back(stepsOf(*argument));
    if (call.callee->recurses || call.callee == &function) {
      Steps all;
      for (const Steps &argument : arguments)
        all = Steps::scattered(all, argument);
      return all;
    }
    const uint64_t counted = counts ? weight : 0;
    return Walk(*call.callee, arguments, counted, tally).run();
  }

  const TypedFunction &function;
  std::vector<Known> slots; ///< by index
  uint64_t weight;
  Tally &tally;
  Steps result;
  bool returns = false, changed = false, counts = false;
};

bool readsAxis(const TypedFunction &kernel, bool (&reads)[axes]) {
  bool showsWarp = false;
  for (const TypedFunction *function : withCallees(kernel))
    forEachNode(
        *function,
        [&](const Expr &node) {
          if (node.kind != ExprKind::Operation)
            return;
          const Operation op = node.as<OperationExpr>().op;
          showsWarp |= showsWarps(op);
          if (const auto at = positionOf(op))
            reads[at->axis] |= at->position == Position::Grid || at->position == Position::ThreadIdx;
        },
        [&](const Stmt &node) { showsWarp |= traits(node.kind).showsWarps; });
  return showsWarp;
}

} // namespace

/// Twice as good, or x: the estimate is rough, and x is what the program's author had in mind. A walk that ran out of
/// nodes has not seen all accesses, and proposes nothing.
LaneAxes preferredAxes(const TypedFunction &kernel) {
  if (kernel.hasWarpOps || kernel.usesClusters)
    return {};
  bool reads[axes] = {};
  if (readsAxis(kernel, reads) || (!reads[1] && !reads[2]))
    return {};
  Tally tally;
  Walk(kernel, {}, 1, tally).run();
  unsigned best = 0;
  for (unsigned axis = 1; axis < axes; ++axis)
    if (reads[axis] && tally.cost[axis] * 2 <= tally.cost[best])
      best = axis;
  if (best == 0 || tally.nodesLeft < 0)
    return {};
  GridIds gridIds;
  const UsesTable uses;
  findGridIds(kernel, uses, gridIds);
  return {uint8_t(best), canSpanBlocks(kernel, gridIds)};
}

} // namespace treadle
