// liveness: a backward walk over the structured tree.
#include "passes/liveness.h"

#include "passes/tree_walk.h"

namespace treadle {

using namespace typed;
using Live = llvm::BitVector;

static bool anyBarrier(const Expr &expression, bool &found) {
  if (expression.kind == ExprKind::Call)
    found |= expression.as<Call>().callee->hasBarrier;
  return !found;
}

bool containsBarrier(const Stmt &statement) {
  bool found = false;
  TreeVisitor visitor{[&](const Expr &node) { return anyBarrier(node, found); },
                      [&](const Stmt &node) {
                        found |= node.kind == StmtKind::Barrier;
                        return !found;
                      }};
  visitor.walk(statement);
  return found;
}

bool containsBarrier(const Expr &expression) {
  bool found = false;
  TreeVisitor visitor{[&](const Expr &node) { return anyBarrier(node, found); },
                      [&](const Stmt &node) {
                        found |= node.kind == StmtKind::Barrier;
                        return !found;
                      }};
  visitor.walk(expression);
  return found;
}

/// The walk over one function. `live` is updated backward through the statements.
class LivenessPass {
public:
  LivenessPass(const TypedFunction &function, bool keepsBefore)
      : function(function), keepsBefore(keepsBefore), slots(unsigned(function.slots.size())) {}

  LivenessTable run() {
    Live live(slots);
    walk(function.body, live);
    table.entry = std::move(live);
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
                          if (node.kind == ExprKind::Slot)
                            live.set(node.as<SlotRead>().slot->index);
                          if (node.kind == ExprKind::Block)
                            walkBlock(node.as<Block>().body, live);
                          return true;
                        },
                        [](const Stmt &) { return true; }};
    visitor.walk(expression);
  }

  /// Control flow inside a Block needs its tables too; everything is assumed to be live around it.
  void walkBlock(Body body, Live &live) {
    Live inside(slots, true);
    walk(body, inside);
    (void)live;
  }

  void walk(Body body, Live &live) {
    for (size_t i = body.size(); i-- > 0;) {
      walk(*body[i], live);
      if (keepsBefore)
        join(table.beforeStatement[body[i]], live);
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
    default:
      break;
    }
    forEachExpression(statement, [&](const Expr &expression) { read(expression, live); });
  }

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

  /// `before` turns what is live before the body into what is live before an iteration.
  template <typename Before>
  void walkLoop(const Stmt &statement, Body body, Body otherwise, Live &live, Before before) {
    const Live after = live;
    Live exit = live;
    walk(otherwise, exit);
    Live head = exit;
    if (loops.size() >= 8)
      head.set();
    // Twice: what the next iteration reads is live at the end of the previous one.
    for (int round = 0; round < 2; ++round) {
      Live inside = head;
      const Live headNow = head;
      loops.push_back({&headNow, &after});
      walk(body, inside);
      loops.pop_back();
      before(inside);
      inside |= exit;
      head |= inside;
    }
    // Nested statements add table entries and so move them: look up the entry last.
    JoinLiveness &record = table.joins[&statement];
    join(record.after, after);
    join(record.otherwise, exit);
    join(record.head, head);
    live = head;
  }

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
  bool keepsBefore;
  unsigned slots;
  LivenessTable table;
  std::vector<Loop> loops;
};

LivenessTable findLiveness(const TypedFunction &function, bool keepsBefore) {
  return LivenessPass(function, keepsBefore || function.hasBarrier).run();
}

} // namespace treadle
