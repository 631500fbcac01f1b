// strided_loops: matches the two ways to write such a loop.
#include "passes/strided_loops.h"

#include "passes/assignments.h"
#include "passes/block_plan.h"
#include "passes/tree_walk.h"
#include "typed/loop_exits.h"

#include <optional>

namespace treadle {

using namespace typed;

namespace {

class Finder {
public:
  Finder(const TypedFunction &kernel, const LivenessTable &liveness, const GridIds *gridIds)
      : kernel(kernel), liveness(liveness), gridIds(gridIds), assignments(countAssignments(kernel)),
        definitions(kernel.slots.size()) {}

  std::vector<StridedLoop> run() {
    std::vector<StridedLoop> found;
    for (const Stmt *statement : kernel.body) {
      std::optional<StridedLoop> loop;
      if (statement->kind == StmtKind::Assign)
        definitions[statement->as<Assign>().slot->index] = statement->as<Assign>().value;
      else if (statement->kind == StmtKind::Range)
        loop = ofRange(statement->as<Range>());
      else if (statement->kind == StmtKind::While)
        loop = ofWhile(statement->as<While>());
      if (loop && isFree(*loop))
        found.push_back(*loop);
    }
    return found;
  }

private:
  std::optional<StridedLoop> ofRange(const Range &loop) {
    const std::optional<Operation> first = identityOf(*loop.start);
    if (!first || !loop.otherwise.empty() || loop.slot->type != loop.counter || !isStep(*loop.step))
      return std::nullopt;
    return StridedLoop{&loop, loop.slot, loop.stop, loop.step, *first, loop.body};
  }

  std::optional<StridedLoop> ofWhile(const While &loop) {
    if (!loop.otherwise.empty() || loop.body.empty() || loop.test->kind != ExprKind::Operation)
      return std::nullopt;
    const auto &test = loop.test->as<OperationExpr>();
    const Stmt &last = *loop.body.back();
    if (test.op != Operation::Lt || test.operands[0]->kind != ExprKind::Slot || last.kind != StmtKind::Assign)
      return std::nullopt;
    const Slot *slot = test.operands[0]->as<SlotRead>().slot;
    const Expr *start = definitions[slot->index], *step = stepOf(last.as<Assign>(), slot);
    const std::optional<Operation> first = start ? identityOf(*start) : std::nullopt;
    // Assigned before the loop and at its end, and nowhere else.
    if (!first || !step || assignments[slot->index] != 2 || test.operands[1]->type != slot->type || !isStep(*step))
      return std::nullopt;
    return StridedLoop{&loop, slot, test.operands[1], step, *first, loop.body.first(loop.body.size() - 1)};
  }

  /// The step in `slot = slot + step`.
  static const Expr *stepOf(const Assign &last, const Slot *slot) {
    if (last.slot != slot || last.value->kind != ExprKind::Operation)
      return nullptr;
    const auto &sum = last.value->as<OperationExpr>();
    if (sum.op != Operation::Add || sum.operands[0]->kind != ExprKind::Slot ||
        sum.operands[0]->as<SlotRead>().slot != slot)
      return nullptr;
    return sum.operands[1];
  }

  const Expr &withoutWidening(const Expr &expression) {
    const Expr *at = &expression;
    while (at->kind == ExprKind::Operation && at->as<OperationExpr>().op == Operation::Convert && at->type->isInt() &&
           at->as<OperationExpr>().operands[0]->type->isInt() &&
           at->type->bits() >= at->as<OperationExpr>().operands[0]->type->bits() && at->type->isSigned())
      at = at->as<OperationExpr>().operands[0];
    return *at;
  }

  /// The operation, if the expression is nothing but the thread's first index.
  std::optional<Operation> identityOf(const Expr &expression) {
    if (!expression.type->isInt() || !expression.type->isSigned())
      return std::nullopt;
    const Expr &at = withoutWidening(expression);
    if (gridIds && gridIds->replaced.contains(&at)) {
      const Operation op = gridIds->replaced.at(&at);
      return op == Operation::GridX ? std::optional(op) : std::nullopt;
    }
    if (at.kind == ExprKind::Slot) {
      const uint32_t slot = at.as<SlotRead>().slot->index;
      return assignments[slot] == 1 && definitions[slot] ? identityOf(*definitions[slot]) : std::nullopt;
    }
    if (at.kind != ExprKind::Operation)
      return std::nullopt;
    const Operation op = at.as<OperationExpr>().op;
    return op == Operation::GridX || op == Operation::ThreadIdxX ? std::optional(op) : std::nullopt;
  }

  /// Whether it is the same positive number for all threads: a product of dimensions and positive constants.
  bool isStep(const Expr &expression) {
    const Expr &at = withoutWidening(expression);
    if (at.kind == ExprKind::Const)
      return at.as<Const>().integer > 0;
    if (at.kind == ExprKind::Slot) {
      const uint32_t slot = at.as<SlotRead>().slot->index;
      return assignments[slot] == 1 && definitions[slot] && isStep(*definitions[slot]);
    }
    if (at.kind != ExprKind::Operation)
      return false;
    const auto &operation = at.as<OperationExpr>();
    if (operation.op == Operation::Mul)
      return isStep(*operation.operands[0]) && isStep(*operation.operands[1]);
    return isOfClass(operation.op, OperationClass::Identity) && isOneForGrid(operation.op);
  }

  /// Whether it is one value for the grid, computed from nothing that can be written.
  bool isUniform(const Expr &expression) {
    bool result = true;
    TreeVisitor visitor{[&](const Expr &node) {
                          result &= isUniformNode(node);
                          return result;
                        },
                        [](const Stmt &) { return true; }};
    visitor.walk(expression);
    return result;
  }

  bool isUniformNode(const Expr &node) {
    if (gridIds && gridIds->replaced.contains(&node))
      return false;
    switch (node.kind) {
    case ExprKind::Const:
    case ExprKind::Tuple:
    case ExprKind::Item:
    case ExprKind::Attribute:
    case ExprKind::Captured:
      return true;
    case ExprKind::Operation:
      return isOneForGrid(node.as<OperationExpr>().op);
    case ExprKind::Slot: {
      const uint32_t slot = node.as<SlotRead>().slot->index;
      if (assignments[slot] == 0)
        return slot < kernel.parameterCount;
      return assignments[slot] == 1 && slot >= kernel.parameterCount && definitions[slot] &&
             isUniform(*definitions[slot]);
    }
    default:
      return false;
    }
  }

  /// Whether nothing leaves the loop, waits or prints in it, or is carried between iterations.
  bool isFree(const StridedLoop &loop) {
    if (!isUniform(*loop.stop))
      return false;
    const LoopExits exits = loopExits(loop.body);
    bool result = !exits.ofLoop() && !exits.byReturn;
    TreeVisitor visitor{[&](const Expr &node) {
                          result &= node.kind != ExprKind::WarpOp && node.kind != ExprKind::Allocation &&
                                    node.kind != ExprKind::HeapArray &&
                                    !(node.kind == ExprKind::Call && mayWait(*node.as<Call>().callee));
                          return result;
                        },
                        [&](const Stmt &node) {
                          result &= node.kind != StmtKind::Barrier && node.kind != StmtKind::Print;
                          return result;
                        }};
    const unsigned slots = unsigned(kernel.slots.size());
    llvm::BitVector written(slots);
    for (const Stmt *statement : loop.body) {
      visitor.walk(*statement);
      written |= slotsOf(*statement, slots).written;
    }
    if (!result || written.test(loop.slot->index))
      return false;
    const JoinLiveness &live = liveness.of(*loop.statement);
    return !written.anyCommon(live.head) && !written.anyCommon(live.after) && !live.after.test(loop.slot->index);
  }

  static bool mayWait(const TypedFunction &callee) { return callee.hasBarrier || callee.hasWarpOps; }

  const TypedFunction &kernel;
  const LivenessTable &liveness;
  const GridIds *gridIds;
  const std::vector<unsigned> assignments;
  std::vector<const Expr *> definitions; ///< per slot: the latest one so far at the top of the kernel
};

} // namespace

bool isAllOf(const StridedLoop &loop, const TypedFunction &kernel) {
  bool result = kernel.body.back() == loop.statement;
  TreeVisitor visitor{[&](const Expr &node) {
                        result &= node.kind == ExprKind::Const || node.kind == ExprKind::Slot ||
                                  node.kind == ExprKind::Operation || node.kind == ExprKind::Tuple ||
                                  node.kind == ExprKind::Item || node.kind == ExprKind::Attribute ||
                                  node.kind == ExprKind::Captured;
                        return result;
                      },
                      [&](const Stmt &node) {
                        result &= node.kind == StmtKind::Assign;
                        return result;
                      }};
  visitor.walk(kernel.body.first(kernel.body.size() - 1));
  return result;
}

std::vector<StridedLoop> findStridedLoops(const TypedFunction &kernel, const LivenessTable &liveness,
                                          const GridIds *gridIds) {
  return Finder(kernel, liveness, gridIds).run();
}

} // namespace treadle
