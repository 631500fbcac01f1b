// divergent_barriers: finds which variables and which control flow are uniform across the block.
#include "passes/analyses/divergent_barriers.h"

#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"

#include "llvm/ADT/BitVector.h"

#include <map>

namespace treadle {

using namespace typed;

namespace {

/// Iterates to a fixed point: each round can only add to what varies.
class Search {
public:
  explicit Search(const TypedFunction &root) : root(root) { stateOf(root); }

  std::unordered_set<const Stmt *> run() {
    do {
      changed = false;
      // Walking one function may add others.
      std::vector<const TypedFunction *> functions;
      for (const auto &[function, state] : states)
        functions.push_back(function);
      for (const TypedFunction *function : functions) {
        state = &stateOf(*function);
        walking = function;
        walk(function->body, state->isDivergent);
      }
    } while (changed);
    if (!someApart)
      barriers.clear();
    return std::move(barriers);
  }

private:
  struct State {
    llvm::BitVector varying; ///< slots
    bool isDivergent = false;
    bool returnsApart = false; ///< some threads may have returned to the caller while others are still in the function
  };

  State &stateOf(const TypedFunction &function) {
    auto [entry, isNew] = states.try_emplace(&function);
    if (isNew) {
      entry->second.varying.resize(unsigned(function.slots.size()));
      // The callers of a device function compiled on its own, and their control flow, are unknown.
      if (!function.isKernel && states.size() == 1) {
        entry->second.varying.set();
        entry->second.isDivergent = true;
      }
      changed = true;
    }
    return entry->second;
  }

  void vary(State &of, uint32_t slot) {
    changed |= !of.varying.test(slot);
    of.varying.set(slot);
  }

  void walk(Body body, bool isDivergent) {
    for (const Stmt *statement : body)
      walk(*statement, isDivergent);
  }

  /// A variable that is assigned under divergent flow varies afterwards even if the value is uniform: some threads have
  /// it, and others what it held before.
  void walk(const Stmt &statement, bool isDivergent) {
    forEachExpression(statement, [&](const Expr &expression) { walkInside(expression, isDivergent); });
    switch (statement.kind) {
    case StmtKind::Assign:
      if (isDivergent || !isUniform(*statement.as<Assign>().value))
        vary(*state, statement.as<Assign>().slot->index);
      return;
    case StmtKind::Barrier:
      barriers.insert(&statement);
      someApart |= isDivergent || state->returnsApart;
      return;
    case StmtKind::Return:
      // In a loop, what precedes the return may also run after it, so the order is irrelevant.
      if (isDivergent && !(root.isKernel && walking == &root)) {
        changed |= !state->returnsApart;
        state->returnsApart = true;
      }
      return;
    case StmtKind::Break:
    case StmtKind::Continue:
      if (isDivergent && !loops.empty())
        changed |= divergentLoops.insert(loops.back()).second;
      return;
    case StmtKind::If: {
      const auto &choice = statement.as<If>();
      const bool isApart = isDivergent || !isUniform(*choice.test);
      walk(choice.then, isApart);
      return walk(choice.otherwise, isApart);
    }
    case StmtKind::While:
    case StmtKind::Range:
      return walkLoop(statement, isDivergent);
    case StmtKind::Store:
    case StmtKind::Effect:
    case StmtKind::Raise:
    case StmtKind::Assert:
    case StmtKind::Print:
      return;
    }
  }

  /// Threads that leave a loop at different times have different last values of its variable. The jumps of an else
  /// clause belong to the loop around.
  void walkLoop(const Stmt &statement, bool isDivergent) {
    bool isApart = isDivergent || divergentLoops.contains(&statement);
    forEachExpression(statement, [&](const Expr &expression) { isApart |= !isUniform(expression); });
    if (statement.kind == StmtKind::Range && isApart)
      vary(*state, statement.as<Range>().slot->index);
    bool isBody = true;
    forEachBody(statement, [&](Body body) {
      if (isBody)
        loops.push_back(&statement);
      walk(body, isApart);
      if (isBody)
        loops.pop_back();
      isBody = false;
    });
  }

  /// Statements in Blocks, and calls. An operand that not every thread evaluates depends on control flow as well.
  void walkInside(const Expr &expression, bool isDivergent) {
    if (expression.kind == ExprKind::Conditional) {
      const auto &choice = expression.as<Conditional>();
      walkInside(*choice.test, isDivergent);
      const bool isApart = isDivergent || !isUniform(*choice.test);
      walkInside(*choice.then, isApart);
      return walkInside(*choice.otherwise, isApart);
    }
    forEachOperand(expression, [&](const Expr &operand) { walkInside(operand, isDivergent); });
    if (expression.kind == ExprKind::Block) {
      walk(expression.as<Block>().body, isDivergent);
      walkInside(*expression.as<Block>().value, isDivergent);
    }
    if (expression.kind == ExprKind::Call)
      walkCall(expression.as<Call>(), isDivergent);
  }

  /// Functions without barriers are not walked: their results count as varying, as those of loads do.
  void walkCall(const Call &call, bool isDivergent) {
    if (!call.callee->hasBarrier && !call.callee->hasGridBarrier)
      return;
    State &callee = stateOf(*call.callee);
    for (unsigned i = 0; i < call.arguments.size(); ++i)
      if (!isUniform(*call.arguments[i]))
        vary(callee, i);
    changed |= isDivergent && !callee.isDivergent;
    callee.isDivergent |= isDivergent;
  }

  /// Whether it is uniform when all threads of the block evaluate it together.
  bool isUniform(const Expr &expression) {
    bool result = isUniformNode(expression);
    forEachOperand(expression, [&](const Expr &operand) { result = result && isUniform(operand); });
    if (expression.kind == ExprKind::Block)
      result = result && isUniform(*expression.as<Block>().value);
    return result;
  }

  /// The result of a barrier's vote is one for the block, whatever the predicates were.
  bool isUniformNode(const Expr &node) const {
    if (const Slot *slot = readSlot(node))
      return !state->varying.test(slot->index);
    if (node.kind == ExprKind::Operation)
      return isOneForBlock(node.as<OperationExpr>().op);
    if (node.kind == ExprKind::WarpOp)
      return rowOf(node.as<WarpOp>().op).kind == WarpClass::Result;
    return !traits(node.kind).isVolatile; // memory may change between two threads
  }

  const TypedFunction &root;
  std::map<const TypedFunction *, State> states;
  const TypedFunction *walking = nullptr;
  State *state = nullptr; ///< of the function being walked
  std::unordered_set<const Stmt *> barriers, divergentLoops;
  bool someApart = false; ///< some barrier may be reached by threads at different times
  std::vector<const Stmt *> loops;
  bool changed = false;
};

} // namespace

std::unordered_set<const Stmt *> findDivergentBarriers(const TypedFunction &function) {
  if (!function.hasBarrier && !function.hasGridBarrier)
    return {};
  return Search(function).run();
}

} // namespace treadle
