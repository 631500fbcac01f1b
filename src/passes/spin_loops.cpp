// spin_loops: which values end a loop, and where they come from.
#include "passes/spin_loops.h"

#include "passes/liveness.h"
#include "passes/tree_walk.h"

#include "llvm/ADT/DenseSet.h"

namespace treadle {

using namespace typed;

namespace {

/// What the statements of one loop assign and write.
struct LoopWrites {
  llvm::DenseSet<const Slot *> slots;  ///< assigned
  llvm::DenseSet<const Slot *> arrays; ///< stored into, by the slot that holds the array
};

const Slot *slotOf(const Expr &array) { return array.kind == ExprKind::Slot ? array.as<SlotRead>().slot : nullptr; }

LoopWrites writesOf(const While &loop) {
  LoopWrites writes;
  TreeVisitor visitor{[](const Expr &) { return true; },
                      [&](const Stmt &node) {
                        if (node.kind == StmtKind::Assign)
                          writes.slots.insert(node.as<Assign>().slot);
                        if (node.kind == StmtKind::Range)
                          writes.slots.insert(node.as<Range>().slot);
                        if (node.kind == StmtKind::Store)
                          writes.arrays.insert(slotOf(*node.as<Store>().at.array));
                        return true;
                      }};
  visitor.walk(loop.body);
  visitor.walk(*loop.test);
  return writes;
}

/// Does the operation leave the element as it is, or fail where another thread holds it?
bool isPolling(const Atomic &atomic) {
  if (atomic.op == AtomicOperation::CompareAndSwap || atomic.op == AtomicOperation::Exchange)
    return true;
  return atomic.value->kind == ExprKind::Const && atomic.value->type->isInt() && atomic.value->as<Const>().integer == 0;
}

bool hasPollingAtomic(const TypedFunction &function);

/// Finds whether an expression reads one place again and again.
class PollSearch {
public:
  explicit PollSearch(const LoopWrites &writes) : writes(writes) {}

  bool polls(const Expr &expression) const {
    bool found = false;
    TreeVisitor visitor{[&](const Expr &node) {
                          if (node.kind == ExprKind::Atomic)
                            found |= isPolling(node.as<Atomic>()) && isFixed(node.as<Atomic>().at);
                          else if (node.kind == ExprKind::Load)
                            found |= isFixed(node.as<Load>().at) &&
                                     !writes.arrays.contains(slotOf(*node.as<Load>().at.array));
                          else if (node.kind == ExprKind::Call)
                            found |= hasPollingAtomic(*node.as<Call>().callee);
                          else if (node.kind == ExprKind::Slot)
                            found |= polled.contains(node.as<SlotRead>().slot);
                          return !found;
                        },
                        [](const Stmt &) { return true; }};
    visitor.walk(expression);
    return found;
  }

  /// Slots whose value comes from a poll.
  llvm::DenseSet<const Slot *> polled;

private:
  bool isFixed(const Indexed &at) const {
    bool fixed = true;
    TreeVisitor visitor{[&](const Expr &node) {
                          fixed &= node.kind != ExprKind::Slot || !writes.slots.contains(node.as<SlotRead>().slot);
                          fixed &= node.kind != ExprKind::Load && node.kind != ExprKind::Atomic;
                          return fixed;
                        },
                        [](const Stmt &) { return true; }};
    visitor.walk(*at.array);
    for (const Expr *index : at.indices)
      visitor.walk(*index);
    return fixed;
  }

  const LoopWrites &writes;
};

bool hasPollingAtomic(const TypedFunction &function) {
  bool found = false;
  TreeVisitor visitor{[&](const Expr &node) {
                        found |= node.kind == ExprKind::Atomic && isPolling(node.as<Atomic>());
                        if (node.kind == ExprKind::Call && node.as<Call>().callee != &function)
                          found |= hasPollingAtomic(*node.as<Call>().callee);
                        return !found;
                      },
                      [&](const Stmt &) { return !found; }};
  visitor.walk(function.body);
  return found;
}

bool leaves(Body body) {
  for (const Stmt *statement : body) {
    if (statement->kind == StmtKind::Break || statement->kind == StmtKind::Return)
      return true;
    if (statement->kind == StmtKind::If && (leaves(statement->as<If>().then) || leaves(statement->as<If>().otherwise)))
      return true;
  }
  return false;
}

/// The conditions under which a loop is left.
class Exits {
public:
  Exits(const LoopWrites &writes, const PollSearch &search) : writes(writes), search(search) {}

  bool polls = false;
  bool endByThemselves = false; ///< one of them changes from iteration to iteration by what the thread itself computes

  /// Each part of a conjunction may end the loop.
  void addTest(const Expr &test) {
    if (test.kind == ExprKind::Conditional) {
      addTest(*test.as<Conditional>().test);
      addTest(*test.as<Conditional>().then);
      return addTest(*test.as<Conditional>().otherwise);
    }
    if (search.polls(test))
      polls = true;
    else
      endByThemselves |= changes(test);
  }

  void addBody(Body body) {
    for (const Stmt *statement : body) {
      if (statement->kind != StmtKind::If)
        continue;
      const If &branch = statement->as<If>();
      if (leaves(branch.then) || leaves(branch.otherwise))
        addTest(*branch.test);
      addBody(branch.then);
      addBody(branch.otherwise);
    }
  }

private:
  bool changes(const Expr &test) const {
    bool found = false;
    TreeVisitor visitor{[&](const Expr &node) {
                          found |= node.kind == ExprKind::Slot && writes.slots.contains(node.as<SlotRead>().slot);
                          return !found;
                        },
                        [](const Stmt &) { return true; }};
    visitor.walk(test);
    return found;
  }

  const LoopWrites &writes;
  const PollSearch &search;
};

} // namespace

bool isSpinLoop(const While &loop) {
  if (containsBarrier(loop))
    return false;
  const LoopWrites writes = writesOf(loop);
  PollSearch search(writes);
  // Slots of slots: each round adds some, and there are only so many.
  for (size_t before = ~size_t(0); before != search.polled.size();) {
    before = search.polled.size();
    TreeVisitor visitor{[](const Expr &) { return true; },
                        [&](const Stmt &node) {
                          if (node.kind == StmtKind::Assign && search.polls(*node.as<Assign>().value))
                            search.polled.insert(node.as<Assign>().slot);
                          return true;
                        }};
    visitor.walk(loop.body);
    visitor.walk(*loop.test);
  }
  Exits exits(writes, search);
  exits.addTest(*loop.test);
  exits.addBody(loop.body);
  return exits.polls && !exits.endByThemselves;
}

bool hasSpinLoop(const TypedFunction &function) {
  bool found = false;
  TreeVisitor visitor{[&](const Expr &node) {
                        if (node.kind == ExprKind::Call && node.as<Call>().callee != &function)
                          found |= hasSpinLoop(*node.as<Call>().callee);
                        return !found;
                      },
                      [&](const Stmt &node) {
                        found |= node.kind == StmtKind::While && isSpinLoop(node.as<While>());
                        return !found;
                      }};
  visitor.walk(function.body);
  return found;
}

} // namespace treadle
