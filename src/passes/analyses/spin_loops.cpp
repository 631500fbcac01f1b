// spin_loops: finds the dependencies of a loop's exit conditions.
#include "passes/analyses/spin_loops.h"

#include "passes/analyses/liveness.h"
#include "passes/analyses/loop_bounds.h"
#include "passes/analyses/tree_walk.h"
#include "support/error.h"
#include "typed/loop_exits.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>

namespace treadle {

using namespace typed;

namespace {

/// The dependencies of a value, in ascending order. A value computed from two has the greater one.
enum class Look : uint8_t {
  Nothing,  ///< only on the thread's own computations
  Outside,  ///< a fixed place that this launch does not write
  Others,   ///< memory that other threads may write
  OnePlace, ///< the same, at a fixed place
  Poll,     ///< an atomic operation that polls
};

/// Propagates looks through the variables and the memory of one loop. They only increase, so the loop is walked until a
/// fixed point.
class LoopStudy {
public:
  LoopStudy(const ArrayOrigins &origins, const TypedFunction &function, const Uses &uses, const Stmt &loop)
      : origins(origins), function(function), loop(loop), isOfBlock(containsBarrier(loop)), invariants(uses, loop) {
    findWrites();
  }

  /// Also finds which loads are polled.
  /// The cases are the rules of WaitingLoops. A loop without a bound that reads one place which this launch does not
  /// write may wait for the host or another launch, unless it can end by itself.
  Patience run(std::unordered_set<const Expr *> &polled) {
    for (unsigned before = ~0u; before != growth;) {
      before = growth;
      walkLoop();
    }
    const bool isBounded = loop.kind == StmtKind::Range || hasOwnBound(loop.as<While>(), invariants);
    if (isBounded && ends == Look::Poll)
      return Patience::Short; // the number of iterations is bounded
    if (isBounded) {
      const bool looks =
          ends == Look::OnePlace || tests == Look::Poll || (ends == Look::Others && countsAttempts(loop));
      return looks ? Patience::Long : Patience::Endless;
    }
    if (ends == Look::Others)
      return Patience::Long;
    if (ends == Look::Nothing || (ends == Look::Outside && (endsByItself || isOfBlock)))
      return Patience::Endless;
    polled.insert(loads.begin(), loads.end());
    return Patience::Short;
  }

private:
  /// The dependencies of a loop's jumps.
  struct Jumps {
    Look exits = Look::Nothing; ///< `break`
    Look all = Look::Nothing;   ///< and of `continue`: statements after them are not always reached
  };

  template <typename Key> void raise(llvm::DenseMap<Key, Look> &map, Key key, Look look) {
    Look &known = map.try_emplace(key, Look::Nothing).first->second;
    raise(known, look);
  }
  void raise(Look &known, Look look) {
    growth += look > known;
    known = std::max(known, look);
  }

  void findWrites() {
    forEachStmt(loop, [&](const Stmt &node) {
      if (const Expr *array = changedArray(node))
        stores.push_back(array);
    });
  }

  /// The loop's else clause is not walked: it runs after the end of the loop.
  void walkLoop() {
    jumps = {&own};
    if (loop.kind == StmtKind::Range) {
      const Range &range = loop.as<Range>();
      raise(slots, static_cast<const Slot *>(range.slot), lookOf(*range.start, Look::Nothing));
      walk(range.body, own.all);
    } else {
      decide(*loop.as<While>().test, lookOf(*loop.as<While>().test, own.all));
      walk(loop.as<While>().body, own.all);
    }
    raise(ends, own.exits);
    raise(ends, returns);
  }

  /// A condition on which the end of the loop depends.
  void decide(const Expr &test, Look look) {
    raise(ends, look);
    if (look <= Look::Outside)
      endsByItself |= changesByItself(test);
  }

  /// A condition on a variable that the thread computes by itself: `while not done[0] and i < n: i += 1`.
  bool changesByItself(const Expr &test) const {
    return anyNode(test, [&](const Expr &node) {
      const Slot *slot = readSlot(node);
      return slot && invariants.assigns(slot) && slots.lookup(slot) == Look::Nothing;
    });
  }

  /// `control`: the dependencies of the statements' execution.
  /// What follows a conditional `continue` or `break` runs depending on its condition, as an arm of an `if` does.
  void walk(Body body, Look control) {
    for (const Stmt *statement : body)
      walk(*statement, std::max(control, jumps.back()->all));
  }

  void walk(const Stmt &statement, Look control) {
    switch (statement.kind) {
    case StmtKind::Assign:
      return raise(slots, static_cast<const Slot *>(statement.as<Assign>().slot),
                   std::max(control, lookOf(*statement.as<Assign>().value, control)));
    case StmtKind::Store: {
      const Store &store = statement.as<Store>();
      Look look = std::max(control, lookOf(*store.value, control));
      for (const Expr *index : store.at.indices)
        look = std::max(look, lookOf(*index, control));
      return write(*store.at.array, look);
    }
    case StmtKind::Effect: {
      const Expr &effect = *statement.as<Effect>().value;
      if (effect.kind == ExprKind::Atomic)
        return write(*effect.as<Atomic>().at.array, std::max(control, operandsOf(effect, control)));
      lookOf(effect, control);
      return;
    }
    case StmtKind::If:
      return walkIf(statement.as<If>(), control);
    case StmtKind::While:
    case StmtKind::Range:
      return walkInner(statement, control);
    case StmtKind::Break:
      raise(jumps.back()->exits, control);
      return raise(jumps.back()->all, control);
    case StmtKind::Continue:
      return raise(jumps.back()->all, control);
    case StmtKind::Return:
      raise(returns, control);
      for (Jumps *around : jumps)
        raise(around->all, control);
      return;
    case StmtKind::Barrier:
      if (const Expr *predicate = statement.as<Barrier>().predicate)
        raise(votes, std::max(control, lookOf(*predicate, control)));
      return;
    case StmtKind::Raise:
    case StmtKind::Assert:
    case StmtKind::Print:
      forEachExpression(statement, [&](const Expr &expression) { lookOf(expression, control); });
    }
  }

  void walkIf(const If &branch, Look control) {
    const Look look = lookOf(*branch.test, control);
    raise(tests, look);
    const LoopExits then = loopExits(branch.then), otherwise = loopExits(branch.otherwise);
    if (then.ofLoop() || then.byReturn || otherwise.ofLoop() || otherwise.byReturn)
      if (look <= Look::Outside)
        endsByItself |= changesByItself(*branch.test);
    walk(branch.then, std::max(control, look));
    walk(branch.otherwise, std::max(control, look));
  }

  /// After an inner loop, variables depend on how often it ran, and so on its conditions. Its jumps are kept between
  /// rounds, since a jump at its end affects the statements at its beginning.
  void walkInner(const Stmt &inner, Look control) {
    Jumps &own = inside[&inner];
    Look look = Look::Nothing;
    forEachExpression(inner, [&](const Expr &expression) { look = std::max(look, lookOf(expression, control)); });
    raise(tests, look);
    Look around = std::max({control, look, own.all});
    if (inner.kind == StmtKind::Range)
      raise(slots, static_cast<const Slot *>(inner.as<Range>().slot), around);
    jumps.push_back(&own);
    walk(inner.kind == StmtKind::Range ? inner.as<Range>().body : inner.as<While>().body, around);
    jumps.pop_back();
    around = std::max(around, own.all);
    walk(inner.kind == StmtKind::Range ? inner.as<Range>().otherwise : inner.as<While>().otherwise, around);
  }

  /// Adds to the dependencies of an array's elements.
  /// Which element is read back is not tracked: local memory is one variable, and all other memory a second one, which
  /// is asked for only in loops with barriers.
  void write(const Expr &array, Look look) {
    raise(origins.isLocal(function, array) ? localMemory : sharedMemory, look);
  }

  Look operandsOf(const Expr &expression, Look control) {
    Look look = Look::Nothing;
    forEachOperand(expression, [&](const Expr &operand) { look = std::max(look, lookOf(operand, control)); });
    return look;
  }

  Look lookOf(const Expr &expression, Look control) {
    if (expression.kind == ExprKind::Block)
      walk(expression.as<Block>().body, control);
    const Look look = operandsOf(expression, control);
    return std::max(look, ownLook(expression));
  }

  /// Without the looks of its operands.
  /// `votes`: the result of a barrier depends on the predicates of all threads, and so on what theirs depend on.
  Look ownLook(const Expr &expression) {
    if (const Slot *slot = readSlot(expression))
      return slots.lookup(slot);
    if (!traits(expression.kind).isVolatile)
      return Look::Nothing;
    switch (expression.kind) {
    case ExprKind::Load:
      return lookOfLoad(expression);
    case ExprKind::Atomic:
      return lookOfAtomic(expression.as<Atomic>());
    case ExprKind::Call:
      return lookOfCall(expression.as<Call>());
    case ExprKind::WarpOp:
      return rowOf(expression.as<WarpOp>().op).kind == WarpClass::Result ? votes : Look::Nothing;
    default:
      failCheck("an expression whose dependencies are known", __FILE__, __LINE__);
    }
  }

  Look lookOfLoad(const Expr &load) {
    const Indexed &at = load.as<Load>().at;
    if (origins.isLocal(function, *at.array))
      return localMemory;
    // In a loop that the threads of a block run together, none of them waits for another.
    if (isOfBlock && origins.isOfBlock(function, *at.array))
      return sharedMemory;
    const bool isOnePlace = invariants.isFixed(at) && !isStoredHere(*at.array);
    if (isOnePlace)
      loads.insert(&load);
    if (!origins.isWritten(function, *at.array))
      return isOnePlace ? Look::Outside : Look::Nothing;
    return isOnePlace ? Look::OnePlace : Look::Others;
  }

  Look lookOfAtomic(const Atomic &atomic) {
    if (isOfBlock && origins.isOfBlock(function, *atomic.at.array))
      return sharedMemory;
    // An exchange or a comparison at one place tries to take a lock, and adding 0 reads without a change. Other
    // operations, as a counter that hands out work, may also be what a loop counts by.
    const bool tries = atomic.op == AtomicOperation::CompareAndSwap || atomic.op == AtomicOperation::Exchange;
    const bool isOnePlace = invariants.isFixed(atomic.at);
    if ((tries && isOnePlace) || (!tries && constantOf(*atomic.value) == 0))
      return Look::Poll;
    return Look::Others;
  }

  Look lookOfCall(const Call &call) {
    if (!origins.looksAtOthers(*call.callee))
      return Look::Nothing;
    // The callee may store values that it read.
    raise(localMemory, Look::Others);
    raise(sharedMemory, Look::Others);
    bool isOnePlace = true;
    for (const Expr *argument : call.arguments)
      isOnePlace &= invariants.isFixed(*argument);
    if (isOnePlace)
      addLoads(*call.callee);
    return isOnePlace ? Look::OnePlace : Look::Others;
  }

  void addLoads(const TypedFunction &callee) {
    if (!visited.insert(&callee).second)
      return;
    forEachExpr(callee, [&](const Expr &node) {
      if (node.kind == ExprKind::Load && origins.isWritten(callee, *node.as<Load>().at.array))
        loads.insert(&node);
      if (node.kind == ExprKind::Call)
        addLoads(*node.as<Call>().callee);
    });
  }

  /// A place that the thread itself stores to in the loop changes without other threads. Arrays are compared by
  /// variable: another variable for the same array makes the loop one that waits, which is the safe mistake.
  bool isStoredHere(const Expr &array) const {
    return std::ranges::any_of(
        stores, [&](const Expr *stored) { return readSlot(array) && readSlot(*stored) == readSlot(array); });
  }

  const ArrayOrigins &origins;
  const TypedFunction &function;
  const Stmt &loop;
  const bool isOfBlock; ///< all threads of the block run the loop together
  const LoopInvariants invariants;
  std::vector<const Expr *> stores; ///< the arrays stored to

  unsigned growth = 0;
  llvm::DenseMap<const Slot *, Look> slots;
  Look localMemory = Look::Nothing, sharedMemory = Look::Nothing, votes = Look::Nothing, returns = Look::Nothing;
  Look ends = Look::Nothing;  ///< what the end of the loop depends on
  Look tests = Look::Nothing; ///< dependencies of all conditions in it
  bool endsByItself = false;  ///< some exit depends only on the thread's own computations
  Jumps own;
  std::unordered_map<const Stmt *, Jumps> inside;
  std::vector<Jumps *> jumps; ///< of the enclosing loops, innermost last
  std::unordered_set<const Expr *> loads;
  std::unordered_set<const TypedFunction *> visited;
};

} // namespace

WaitingLoops::WaitingLoops(const TypedFunction &kernel, const UsesTable &uses, bool noOverlap)
    : origins(kernel, noOverlap) {
  study(kernel, uses);
  // Through calls, up to a fixed point.
  for (size_t before = ~size_t(0); before != waiting.size();) {
    before = waiting.size();
    for (const TypedFunction *function : seen) {
      if (anyNode(*function, [&](const Expr &node) {
            return node.kind == ExprKind::Call && waiting.contains(node.as<Call>().callee);
          }))
        waiting.insert(function);
    }
  }
}

/// A loop with a barrier is no reason for fibers of warps: its threads take part in it together, so only other blocks
/// can make it wait. Inner loops are studied on their own as well.
void WaitingLoops::study(const TypedFunction &function, const UsesTable &uses) {
  if (!seen.insert(&function).second)
    return;
  TreeVisitor visitor{[&](const Expr &node) {
                        if (node.kind == ExprKind::Call)
                          study(*node.as<Call>().callee, uses);
                        return true;
                      },
                      [&](const Stmt &node) {
                        if (!traits(node.kind).loops || (node.kind == StmtKind::Range && isShort(node.as<Range>())))
                          return true;
                        const Patience found = LoopStudy(origins, function, uses.of(function), node).run(polled);
                        if (found == Patience::Endless)
                          return true;
                        patience[&node] = found;
                        if (!containsBarrier(node))
                          waiting.insert(&function);
                        return true;
                      }};
  visitor.walk(function.body);
}

Patience WaitingLoops::of(const Stmt &loop) const {
  const auto found = patience.find(&loop);
  return found == patience.end() ? Patience::Endless : found->second;
}

} // namespace treadle
