// block_plan: finds what runs once per block.
#include "passes/block_plan.h"

#include "passes/assignments.h"
#include "passes/tree_walk.h"
#include "typed/purity.h"

#include <algorithm>

namespace treadle {

using namespace typed;

SlotUse slotsOf(const Stmt &statement, unsigned slotCount) {
  SlotUse use{llvm::BitVector(slotCount), llvm::BitVector(slotCount)};
  TreeVisitor visitor{[&](const Expr &node) {
                        if (node.kind == ExprKind::Slot)
                          use.read.set(node.as<SlotRead>().slot->index);
                        return true;
                      },
                      [&](const Stmt &node) {
                        if (node.kind == StmtKind::Assign)
                          use.written.set(node.as<Assign>().slot->index);
                        if (node.kind == StmtKind::Range)
                          use.written.set(node.as<Range>().slot->index);
                        return true;
                      }};
  visitor.walk(statement);
  return use;
}

namespace {

class Planner {
public:
  Planner(const TypedFunction &function, const LivenessTable &liveness, std::span<const StridedLoop> stridedLoops)
      : function(function), liveness(liveness), count(unsigned(function.slots.size())),
        assignments(countAssignments(function)) {
    for (const StridedLoop &loop : stridedLoops)
      strided[loop.statement] = &loop;
    plan.blockSlots.resize(count);
    plan.rematerialized.resize(count);
    plan.crossing.resize(count);
  }

  BlockPlan run() {
    for (uint32_t i = 0; i < function.parameterCount; ++i)
      if (assignments[i] == 0)
        plan.blockSlots.set(i);
    for (const auto &[statement, loop] : strided) {
      plan.blockStatements.insert(statement);
      requireSlots(*loop->stop);
      requireSlots(*loop->step);
    }
    // Each round adds statements or slots, of which there is a finite number.
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
    const bool isLoop = statement.kind == StmtKind::While || statement.kind == StmtKind::Range;
    bool any = statement.kind == StmtKind::Range && plan.blockSlots.test(statement.as<Range>().slot->index);
    bool isFirst = true;
    forEachBody(statement, [&](Body inner) {
      any |= mark(inner, isLoop && isFirst ? false : inBlockLoop);
      isFirst = false;
    });
    return any;
  }

  void markInside(const Stmt &statement, bool inBlockLoop) {
    const bool isLoop = statement.kind == StmtKind::While || statement.kind == StmtKind::Range;
    if (statement.kind == StmtKind::While || statement.kind == StmtKind::Range || statement.kind == StmtKind::If) {
      bool isFirst = true;
      forEachBody(statement, [&](Body inner) {
        mark(inner, isLoop && isFirst ? true : inBlockLoop);
        isFirst = false;
      });
    }
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
    switch (statement.kind) {
    case StmtKind::If:
    case StmtKind::While:
    case StmtKind::Range:
      return true;
    case StmtKind::Assign:
      return plan.blockSlots.test(statement.as<Assign>().slot->index);
    default:
      return false;
    }
  }

  bool isSound(Body body) const {
    return std::ranges::all_of(body, [&](const Stmt *statement) { return isSound(*statement); });
  }

  bool isSound(const Stmt &statement) const {
    const auto loop = strided.find(&statement);
    if (loop != strided.end() || !plan.isBlock(statement))
      return !slotsOf(statement, count).written.anyCommon(plan.blockSlots) &&
             (loop == strided.end() || (isOfBlockLevel(*loop->second->stop) && isOfBlockLevel(*loop->second->step)));
    bool result = true;
    if (evaluatesAtBlockLevel(statement))
      forEachExpression(statement, [&](const Expr &expression) { result &= isOfBlockLevel(expression); });
    else if (statement.kind == StmtKind::Barrier)
      result = !slotsOf(statement, count).written.anyCommon(plan.blockSlots);
    else
      result = statement.kind == StmtKind::Break || statement.kind == StmtKind::Continue;
    forEachBody(statement, [&](Body inner) { result &= isSound(inner); });
    return result;
  }

  static bool isOfBlockLevel(const Expr &expression) {
    const Effects effects = effectsOf(expression);
    return !effects.writes && !effects.meets && !effects.readsClock && !effects.isOfThread;
  }

  void requireSlots(const Expr &expression) {
    TreeVisitor visitor{[&](const Expr &node) {
                          if (node.kind == ExprKind::Slot)
                            plan.blockSlots.set(node.as<SlotRead>().slot->index);
                          return true;
                        },
                        [](const Stmt &) { return true; }};
    visitor.walk(expression);
  }

  bool isRematerializable(const Expr &expression) {
    bool isRepeatable = true;
    TreeVisitor visitor{[&](const Expr &node) {
                          switch (node.kind) {
                          case ExprKind::Const:
                          case ExprKind::Operation:
                          case ExprKind::Tuple:
                          case ExprKind::Item:
                          case ExprKind::Attribute:
                          case ExprKind::Allocation:
                          case ExprKind::Captured:
                            break;
                          case ExprKind::Slot: {
                            const uint32_t slot = node.as<SlotRead>().slot->index;
                            isRepeatable &= plan.rematerialized.test(slot) ||
                                            (plan.blockSlots.test(slot) && assignments[slot] == 0);
                            break;
                          }
                          default:
                            isRepeatable = false;
                          }
                          return isRepeatable;
                        },
                        [](const Stmt &) { return false; }};
    visitor.walk(expression);
    return isRepeatable;
  }

  void findRematerialized() {
    for (const Stmt *statement : function.body) {
      if (statement->kind != StmtKind::Assign || plan.isBlock(*statement))
        continue;
      const auto &assign = statement->as<Assign>();
      if (assignments[assign.slot->index] != 1 || assign.slot->isParameter || !isRematerializable(*assign.value))
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

  bool isThreadIndex(const Expr &expression) {
    if (!expression.type->isInt() || !expression.type->isSigned() || expression.type->bits() < 32)
      return false;
    if (expression.kind == ExprKind::Slot) {
      const uint32_t slot = expression.as<SlotRead>().slot->index;
      for (const Assign *definition : plan.definitions)
        if (definition->slot->index == slot)
          return isThreadIndex(*definition->value);
      return false;
    }
    if (expression.kind != ExprKind::Operation)
      return false;
    const auto &operation = expression.as<OperationExpr>();
    return operation.op == Operation::ThreadIdxX ||
           (operation.op == Operation::Convert && isThreadIndex(*operation.operands[0]));
  }

  /// Whether it consists of constants and values that are uniform across the block.
  bool isOfBlock(const Expr &expression) {
    bool result = true;
    TreeVisitor visitor{[&](const Expr &node) {
                          result &= node.kind != ExprKind::Operation || isOneForBlock(node.as<OperationExpr>().op);
                          result &=
                              node.kind == ExprKind::Const || node.kind == ExprKind::Operation ||
                              node.kind == ExprKind::Attribute ||
                              (node.kind == ExprKind::Slot && plan.blockSlots.test(node.as<SlotRead>().slot->index));
                          return result;
                        },
                        [](const Stmt &) { return true; }};
    visitor.walk(expression);
    return result;
  }

  const TypedFunction &function;
  const LivenessTable &liveness;
  unsigned count;
  BlockPlan plan;
  const std::vector<unsigned> assignments;
  std::unordered_map<const Stmt *, const StridedLoop *> strided;
};

} // namespace

BlockPlan planBlocks(const TypedFunction &function, const LivenessTable &liveness,
                     std::span<const StridedLoop> stridedLoops) {
  return Planner(function, liveness, stridedLoops).run();
}

} // namespace treadle
