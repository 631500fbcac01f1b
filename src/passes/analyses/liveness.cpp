// liveness: a backward walk over the structured tree.
#include "passes/analyses/liveness.h"

#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"
#include "typed/walk.h"

namespace treadle {

using namespace typed;
using Live = llvm::BitVector;

namespace {

bool anyBarrier(Roots roots) {
  return anyNode(
      std::move(roots),
      [](const Expr &node) { return node.kind == ExprKind::Call && node.as<Call>().callee->hasBarrier; },
      [](const Stmt &node) { return traits(node.kind).waits; });
}

} // namespace

bool containsBarrier(const Stmt &statement) { return anyBarrier(statement); }
bool containsBarrier(const Expr &expression) { return anyBarrier(expression); }

/// The walk over one function. `live` is updated backward through the statements.
class LivenessPass {
public:
  LivenessPass(const TypedFunction &function, bool keepsAll)
      : function(function), keepsAll(keepsAll), slots(unsigned(function.slots.size())) {}

  /// What the next iteration of a loop reads is found at its head, after its end has been walked: hence another walk.
  /// Sets only grow, so the walks end.
  LivenessTable run() {
    do {
      hasNewHead = false;
      Live live(slots);
      walk(function.body, live);
    } while (hasNewHead);
    return std::move(table);
  }

private:
  struct Loop {
    const Live *head;
    const Live *exit;
  };

  /// Makes the slots that the expression reads live; assignments inside Blocks do not end liveness (an arm may not
  /// run).
  void read(const Expr &expression, Live &live) {
    TreeVisitor visitor{[&](const Expr &node) {
                          if (const Slot *slot = readSlot(node))
                            live.set(slot->index);
                          if (node.kind == ExprKind::Block)
                            walkBlock(node.as<Block>().body);
                          return true;
                        },
                        [](const Stmt &) { return true; }};
    visitor.walk(expression);
  }

  /// Control flow inside a Block needs its tables too; everything is assumed to be live around it.
  void walkBlock(Body body) {
    Live inside(slots, true);
    walk(body, inside);
  }

  /// `join`: a statement is walked several times, under sets that only grow, and the last is the one to keep.
  void walk(Body body, Live &live) {
    for (size_t i = body.size(); i-- > 0;) {
      if (keepsAll)
        join(table.statements[body[i]].after, live);
      walk(*body[i], live);
      if (keepsAll)
        join(table.statements[body[i]].before, live);
    }
  }

  void join(Live &into, const Live &live) {
    if (into.empty())
      into = Live(slots);
    into |= live;
  }

  void walk(const Stmt &statement, Live &live) {
    switch (statement.kind) {
    case StmtKind::Assign:
      live.reset(statement.as<Assign>().slot->index);
      return read(*statement.as<Assign>().value, live);
    case StmtKind::If:
      return walkIf(statement.as<If>(), live);
    case StmtKind::While:
      return walkWhile(statement.as<While>(), live);
    case StmtKind::Range:
      return walkRange(statement.as<Range>(), live);
    case StmtKind::Break:
      live = *loops.back().exit;
      return;
    case StmtKind::Continue:
      live = *loops.back().head;
      return;
    case StmtKind::Return:
      live.reset();
      break;
    case StmtKind::Store:
    case StmtKind::Effect:
    case StmtKind::Barrier:
    case StmtKind::Raise:
    case StmtKind::Assert:
    case StmtKind::Print:
      break;
    }
    forEachExpression(statement, [&](const Expr &expression) { read(expression, live); });
  }

  /// Both arms begin, backward, with what is live after the statement; the test is evaluated before either.
  void walkIf(const If &statement, Live &live) {
    JoinLiveness &record = table.joins[&statement];
    join(record.after, live);
    Live otherwise = live;
    walk(statement.otherwise, otherwise);
    join(record.otherwise, otherwise);
    walk(statement.then, live);
    live |= otherwise;
    read(*statement.test, live);
  }

  /// `before` turns the set live before the body into that before an iteration. Variables that the next iteration reads
  /// are live at the end of the previous one, as found by the last walk over the function.
  template <typename Before>
  void walkLoop(const Stmt &statement, Body body, Body otherwise, Live &live, Before before) {
    const Live after = live;
    Live exit = live;
    walk(otherwise, exit);
    Live head = exit;
    if (const auto known = table.joins.find(&statement); known != table.joins.end())
      head |= known->second.head;
    Live inside = head;
    loops.push_back({&head, &after});
    walk(body, inside);
    loops.pop_back();
    before(inside);
    inside |= exit;
    // Nested statements add table entries and so move them: look up the entry last.
    JoinLiveness &record = table.joins[&statement];
    join(record.after, after);
    join(record.otherwise, exit);
    hasNewHead |= record.head.empty() ? inside != head : inside.test(record.head);
    join(record.head, head);
    join(record.head, inside);
    live = record.head;
  }

  /// The test is read in each iteration and before the first, so its slots are live at the head and before the loop.
  void walkWhile(const While &statement, Live &live) {
    walkLoop(statement, statement.body, statement.otherwise, live,
             [&](Live &inside) { read(*statement.test, inside); });
    read(*statement.test, live);
  }

  void walkRange(const Range &statement, Live &live) {
    const unsigned slot = statement.slot->index;
    // The slot keeps its last value after the loop, so it is unchanged if there is no further iteration.
    walkLoop(statement, statement.body, statement.otherwise, live, [&](Live &inside) { inside.reset(slot); });
    forEachExpression(statement, [&](const Expr &expression) { read(expression, live); });
  }

  const TypedFunction &function;
  bool keepsAll;
  unsigned slots;
  LivenessTable table;
  std::vector<Loop> loops;
  bool hasNewHead = false; ///< some loop has more slots live at its head than were known when it was walked
};

LivenessTable findLiveness(const TypedFunction &function, bool keepsAll) {
  return LivenessPass(function, keepsAll || function.hasBarrier).run();
}

} // namespace treadle
