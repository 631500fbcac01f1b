// block_plan: finds what runs once per block.
#include "passes/grid/block_plan.h"

#include "passes/analyses/tree_walk.h"
#include "typed/purity.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include <algorithm>

namespace treadle {

using namespace typed;

namespace {

class Planner {
public:
  Planner(const TypedFunction &function, const Uses &uses, const LivenessTable &liveness, const LaneSteps &steps)
      : function(function), uses(uses), liveness(liveness), laneAxis(steps.laneAxis) {
    for (const StridedLoop &loop : steps.stridedLoops)
      strided[loop.statement] = &loop;
    for (llvm::BitVector *slots : {&plan.blockSlots, &plan.rematerialized, &plan.crossing})
      slots->resize(uses.slotCount());
  }

  /// Block statements and block slots determine each other, so they are found together, up to a fixed point. Soundness
  /// is about the final sets. What crosses regions is found last: neither block slots nor recomputed ones have to be
  /// kept.
  BlockPlan run() {
    for (uint32_t i = 0; i < function.parameterCount; ++i)
      if (uses.assignments(*function.slots[i]) == 0)
        plan.blockSlots.set(i);
    for (const auto &[statement, loop] : strided) {
      plan.blockStatements.insert(statement);
      requireSlots(*loop->stop);
      requireSlots(*loop->step);
    }
    // Each round adds statements or slots, which are finite in number.
    size_t before = 0;
    do {
      before = plan.blockStatements.size() + plan.blockSlots.count();
      mark(function.body, false);
    } while (before != plan.blockStatements.size() + plan.blockSlots.count());
    plan.isSound = isSound(function.body);
    findRematerialized();
    findCrossing(function.body);
    findGuards();
    return std::move(plan);
  }

private:
  /// Whether the list makes the enclosing statement a block statement. `inBlockLoop`: the innermost loop is one.
  bool mark(Body body, bool inBlockLoop) {
    bool any = false;
    for (const Stmt *statement : body)
      any |= mark(*statement, inBlockLoop);
    return any;
  }

  /// The body of a strided loop is one region and is not looked into: barriers and jumps out of it are excluded where
  /// such loops are found. A `break` or `continue` of a block loop is the block's, as are the conditions that lead to
  /// it.
  bool mark(const Stmt &statement, bool inBlockLoop) {
    if (strided.contains(&statement))
      return true;
    if (plan.isBlock(statement))
      markInside(statement, inBlockLoop);
    bool isBlock = plan.isBlock(statement) || containsBarrier(statement);
    if (statement.kind == StmtKind::Break || statement.kind == StmtKind::Continue)
      isBlock |= inBlockLoop;
    else if (statement.kind == StmtKind::Assign)
      isBlock |= plan.blockSlots.test(statement.as<Assign>().slot->index);
    else if (!isBlock)
      isBlock = marksInside(statement, inBlockLoop);
    if (isBlock)
      require(statement);
    return isBlock;
  }

  /// A statement not yet required to be a block statement: its contents may make it one.
  bool marksInside(const Stmt &statement, bool inBlockLoop) {
    const bool isLoop = traits(statement.kind).loops;
    bool any = statement.kind == StmtKind::Range && plan.blockSlots.test(statement.as<Range>().slot->index);
    bool isFirst = true;
    forEachBody(statement, [&](Body inner) {
      any |= mark(inner, isLoop && isFirst ? false : inBlockLoop);
      isFirst = false;
    });
    return any;
  }

  void markInside(const Stmt &statement, bool inBlockLoop) {
    bool isFirst = traits(statement.kind).loops;
    forEachBody(statement, [&](Body inner) {
      mark(inner, isFirst || inBlockLoop);
      isFirst = false;
    });
  }

  /// The statement runs once per block, so everything its control flow reads must be uniform across the block.
  void require(const Stmt &statement) {
    plan.blockStatements.insert(&statement);
    if (statement.kind == StmtKind::Range)
      plan.blockSlots.set(statement.as<Range>().slot->index);
    if (evaluatesAtBlockLevel(statement))
      forEachExpression(statement, [&](const Expr &expression) { requireSlots(expression); });
  }

  /// Whether a block statement's own expressions are evaluated once per block. The predicate of a barrier is a region;
  /// other statements are block statements only because of a barrier inside their expression.
  bool evaluatesAtBlockLevel(const Stmt &statement) const {
    const Slot *slot = assignedSlot(statement);
    return traits(statement.kind).branches || (slot && plan.blockSlots.test(slot->index));
  }

  bool isSound(Body body) const {
    return std::ranges::all_of(body, [&](const Stmt *statement) { return isSound(*statement); });
  }

  /// Within a region, no thread may assign what the block has one value for. At block level, what is neither control
  /// flow, nor a barrier, nor an assignment to a block slot would need a warp to run in.
  bool isSound(const Stmt &statement) const {
    const auto loop = strided.find(&statement);
    if (loop != strided.end() || !plan.isBlock(statement))
      return !assignsBlockSlot(statement) &&
             (loop == strided.end() || (isOfBlockLevel(*loop->second->stop) && isOfBlockLevel(*loop->second->step)));
    bool result = true;
    if (evaluatesAtBlockLevel(statement))
      forEachExpression(statement, [&](const Expr &expression) { result &= isOfBlockLevel(expression); });
    else if (statement.kind == StmtKind::Barrier)
      result = !assignsBlockSlot(statement);
    else
      result = statement.kind == StmtKind::Break || statement.kind == StmtKind::Continue;
    forEachBody(statement, [&](Body inner) { result &= isSound(inner); });
    return result;
  }

  bool assignsBlockSlot(const Stmt &statement) const {
    return uses.assigned(uses.of(statement)).anyCommon(plan.blockSlots);
  }

  static bool isOfBlockLevel(const Expr &expression) {
    const Effects effects = effectsOf(expression);
    return !effects.writes && !effects.meets && !effects.readsClock && !effects.isOfThread;
  }

  void requireSlots(const Expr &expression) {
    forEachExpr(expression, [&](const Expr &node) {
      if (const Slot *slot = readSlot(node))
        plan.blockSlots.set(slot->index);
    });
  }

  /// Loads are not: memory may have changed since. What is here costs a few instructions in place of a slot for each
  /// warp of the block.
  bool isRematerializable(const Expr &expression) {
    return !anyNode(expression, [&](const Expr &node) {
      if (const Slot *slot = readSlot(node))
        return !plan.rematerialized.test(slot->index) &&
               !(plan.blockSlots.test(slot->index) && uses.assignments(*slot) == 0);
      return node.kind != ExprKind::Const && node.kind != ExprKind::Operation && node.kind != ExprKind::Tuple &&
             node.kind != ExprKind::Item && node.kind != ExprKind::Attribute && node.kind != ExprKind::Allocation &&
             node.kind != ExprKind::Captured;
    });
  }

  /// In program order, at the top level, where every thread that is left has run the assignment: so definitions read
  /// only earlier ones.
  void findRematerialized() {
    for (const Stmt *statement : function.body) {
      if (statement->kind != StmtKind::Assign || plan.isBlock(*statement))
        continue;
      const auto &assign = statement->as<Assign>();
      if (uses.assignments(*assign.slot) != 1 || assign.slot->isParameter || !isRematerializable(*assign.value))
        continue;
      plan.rematerialized.set(assign.slot->index);
      plan.definitions.push_back(&assign);
    }
  }

  /// What is live at the start of a region comes from an earlier one: at the first statement after a block statement,
  /// at the start of a list, and after the last statement of a loop's body.
  void findCrossing(Body body) {
    bool atStart = true;
    for (const Stmt *statement : body) {
      const bool isBlock = plan.isBlock(*statement);
      if (isBlock || atStart)
        plan.crossing |= liveness.before(*statement);
      atStart = isBlock;
      if (isBlock && !strided.contains(statement))
        forEachBody(*statement, [&](Body inner) { findCrossing(inner); });
    }
    plan.crossing.reset(plan.blockSlots);
    plan.crossing.reset(plan.rematerialized);
  }

  /// For regions that are such an `if` as a whole: warps in which no thread is within the guard are not run.
  void findGuards() {
    TreeVisitor visitor{[](const Expr &) { return false; },
                        [&](const Stmt &node) {
                          if (node.kind == StmtKind::If && node.as<If>().otherwise.empty())
                            if (const BlockPlan::Guard guard = guardOf(*node.as<If>().test); guard.limit)
                              plan.guards[&node] = guard;
                          return true;
                        }};
    visitor.walk(function.body);
  }

  /// The guard of `threadIdx.x < limit`, or of its conjunction with other tests.
  BlockPlan::Guard guardOf(const Expr &test) {
    if (test.kind == ExprKind::Conditional) { // `a and b` is `b if a else False`
      const auto &both = test.as<Conditional>();
      const bool isAnd = both.otherwise->kind == ExprKind::Const && both.otherwise->as<Const>().integer == 0;
      return isAnd && test.type->isBool() ? guardOf(*both.test) : BlockPlan::Guard();
    }
    if (test.kind != ExprKind::Operation || test.as<OperationExpr>().operands.size() != 2)
      return {};
    const auto &comparison = test.as<OperationExpr>();
    const Expr *left = comparison.operands[0], *right = comparison.operands[1];
    Operation op = comparison.op;
    if (op == Operation::Gt || op == Operation::Ge) {
      std::swap(left, right);
      op = op == Operation::Gt ? Operation::Lt : Operation::Le;
    }
    const bool isInclusive = op == Operation::Le || op == Operation::Eq;
    if ((op != Operation::Lt && !isInclusive) || !isThreadIndex(*left))
      return {};
    if (!right->type->isInt() || !right->type->isSigned() || !isOfBlock(*right))
      return {};
    return {right, isInclusive ? 1u : 0u};
  }

  /// Signed and of at least 32 bits, so that no conversion on the way changes the number.
  bool isThreadIndex(const Expr &expression) {
    if (!expression.type->isInt() || !expression.type->isSigned() || expression.type->bits() < 32)
      return false;
    if (const Slot *slot = readSlot(expression)) {
      const auto definition = std::ranges::find(plan.definitions, slot, &Assign::slot);
      return definition != plan.definitions.end() && isThreadIndex(*(*definition)->value);
    }
    return isOperation(expression, operationOf({Position::ThreadIdx, laneAxis})) ||
           (isOperation(expression, Operation::Convert) && isThreadIndex(*expression.as<OperationExpr>().operands[0]));
  }

  /// Whether it consists of constants and values that are uniform across the block.
  bool isOfBlock(const Expr &expression) {
    return !anyNode(expression, [&](const Expr &node) {
      if (const Slot *slot = readSlot(node))
        return !plan.blockSlots.test(slot->index);
      if (node.kind == ExprKind::Operation)
        return !isOneForBlock(node.as<OperationExpr>().op);
      return node.kind != ExprKind::Const && node.kind != ExprKind::Attribute;
    });
  }

  const TypedFunction &function;
  const Uses &uses;
  const LivenessTable &liveness;
  const unsigned laneAxis;
  BlockPlan plan;
  std::unordered_map<const Stmt *, const StridedLoop *> strided;
};

} // namespace

BlockPlan planBlocks(const TypedFunction &function, const Uses &uses, const LivenessTable &liveness,
                     const LaneSteps &steps) {
  return Planner(function, uses, liveness, steps).run();
}

} // namespace treadle
