// strided_loops: matches the two ways to write such a loop.
#include "passes/grid/strided_loops.h"

#include "passes/analyses/tree_walk.h"
#include "typed/loop_exits.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include <optional>

namespace treadle {

using namespace typed;

namespace {

/// Computed from its parts alone, in every thread alike.
bool isPlain(ExprKind kind) {
  return kind == ExprKind::Const || kind == ExprKind::Tuple || kind == ExprKind::Item || kind == ExprKind::Attribute ||
         kind == ExprKind::Captured;
}

class Finder {
public:
  explicit Finder(const StridedLoopSearch &search)
      : kernel(search.kernel), uses(search.uses), liveness(search.liveness), gridIds(search.gridIds),
        laneAxis(search.laneAxis), definitions(kernel.slots.size()) {}

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
  /// A variable of the counter's type: the interchanged loop has one number for both.
  std::optional<StridedLoop> ofRange(const Range &loop) {
    const std::optional<PositionOnAxis> first = identityOf(*loop.start);
    if (!first || !loop.otherwise.empty() || loop.slot->type != loop.counter || !isStep(*loop.step))
      return std::nullopt;
    return StridedLoop{&loop, loop.slot, loop.stop, loop.step, *first, loop.body};
  }

  /// `i = cuda.grid(1)`, `while i < n:`, and `i += cuda.gridsize(1)` as the last statement. A `continue` would skip
  /// that one, and is excluded with the other jumps.
  std::optional<StridedLoop> ofWhile(const While &loop) {
    if (!loop.otherwise.empty() || loop.body.empty() || !isOperation(*loop.test, Operation::Lt))
      return std::nullopt;
    const auto &test = loop.test->as<OperationExpr>();
    const Stmt &last = *loop.body.back();
    const Slot *slot = readSlot(*test.operands[0]);
    if (!slot || last.kind != StmtKind::Assign)
      return std::nullopt;
    const Expr *start = definitions[slot->index], *step = stepOf(last.as<Assign>(), slot);
    const std::optional<PositionOnAxis> first = start ? identityOf(*start) : std::nullopt;
    // Assigned before the loop and at its end, and nowhere else.
    if (!first || !step || uses.assignments(*slot) != 2 || test.operands[1]->type != slot->type || !isStep(*step))
      return std::nullopt;
    return StridedLoop{&loop, slot, test.operands[1], step, *first, loop.body.first(loop.body.size() - 1)};
  }

  /// The step in `slot = slot + step`.
  static const Expr *stepOf(const Assign &last, const Slot *slot) {
    if (last.slot != slot || !isOperation(*last.value, Operation::Add))
      return nullptr;
    const auto &operands = last.value->as<OperationExpr>().operands;
    return readSlot(*operands[0]) == slot ? operands[1] : nullptr;
  }

  /// Below conversions that keep every value, and none that would let the index wrap.
  const Expr &withoutWidening(const Expr &expression) {
    const Expr *at = &expression;
    while (isOperation(*at, Operation::Convert) && at->type->isInt() &&
           at->as<OperationExpr>().operands[0]->type->isInt() &&
           at->type->bits() >= at->as<OperationExpr>().operands[0]->type->bits() && at->type->isSigned())
      at = at->as<OperationExpr>().operands[0];
    return *at;
  }

  /// The operation, if the expression is exactly the thread's first index.
  std::optional<PositionOnAxis> identityOf(const Expr &expression) {
    if (!expression.type->isInt() || !expression.type->isSigned())
      return std::nullopt;
    const Expr &at = withoutWidening(expression);
    if (const auto known = gridIds.replaced.find(&at); known != gridIds.replaced.end())
      return alongLanes(known->second);
    if (const Slot *slot = readSlot(at))
      return isDefined(*slot) ? identityOf(*definitions[slot->index]) : std::nullopt;
    if (at.kind != ExprKind::Operation)
      return std::nullopt;
    return alongLanes(at.as<OperationExpr>().op);
  }

  std::optional<PositionOnAxis> alongLanes(Operation op) const {
    const std::optional<PositionOnAxis> at = positionOf(op);
    const bool isIndex = at && (at->position == Position::Grid || at->position == Position::ThreadIdx);
    return isIndex && at->axis == laneAxis ? at : std::nullopt;
  }

  /// Whether it is a positive number that is uniform across all threads: a product of dimensions and positive
  /// constants.
  bool isStep(const Expr &expression) {
    const Expr &at = withoutWidening(expression);
    if (at.kind == ExprKind::Const)
      return at.as<Const>().integer > 0;
    if (const Slot *slot = readSlot(at))
      return isDefined(*slot) && isStep(*definitions[slot->index]);
    if (at.kind != ExprKind::Operation)
      return false;
    const auto &operation = at.as<OperationExpr>();
    if (operation.op == Operation::Mul)
      return isStep(*operation.operands[0]) && isStep(*operation.operands[1]);
    return isOfClass(operation.op, OperationClass::Identity) && isOneForGrid(operation.op);
  }

  /// Whether it is uniform across the grid, and depends on nothing that can be written.
  bool isUniform(const Expr &expression) {
    return !anyNode(expression, [&](const Expr &node) { return !isUniformNode(node); });
  }

  bool isUniformNode(const Expr &node) {
    if (gridIds.replaced.contains(&node))
      return false;
    if (node.kind == ExprKind::Operation)
      return isOneForGrid(node.as<OperationExpr>().op);
    const Slot *read = readSlot(node);
    if (!read)
      return isPlain(node.kind);
    if (uses.assignments(*read) == 0)
      return read->index < kernel.parameterCount;
    return read->index >= kernel.parameterCount && isDefined(*read) && isUniform(*definitions[read->index]);
  }

  /// By a single assignment, before the loop.
  bool isDefined(const Slot &slot) const { return uses.assignments(slot) == 1 && definitions[slot.index]; }

  /// Whether nothing leaves the loop, waits or prints in it, or is carried between iterations.
  /// What an iteration assigns must be dead at its start and after the loop; then nothing passes from one iteration of
  /// a thread to its next, and other threads' iterations may come between.
  bool isFree(const StridedLoop &loop) {
    const LoopExits exits = loopExits(loop.body);
    if (!isUniform(*loop.stop) || exits.ofLoop() || exits.byReturn)
      return false;
    auto ties = [](const Expr &node) {
      return node.kind == ExprKind::WarpOp || traits(node.kind).makesArray ||
             (node.kind == ExprKind::Call && mayWait(*node.as<Call>().callee));
    };
    auto shows = [](const Stmt &node) { return traits(node.kind).waits || traits(node.kind).showsWarps; };
    if (anyNode(loop.body, ties, shows))
      return false;
    const llvm::BitVector written = uses.assigned(uses.of(loop.body));
    if (written.test(loop.slot->index))
      return false;
    const JoinLiveness &live = liveness.of(*loop.statement);
    return !written.anyCommon(live.head) && !written.anyCommon(live.after) && !live.after.test(loop.slot->index);
  }

  static bool mayWait(const TypedFunction &callee) { return callee.hasBarrier || callee.hasWarpOps; }

  const TypedFunction &kernel;
  const Uses &uses;
  const LivenessTable &liveness;
  const GridIds &gridIds;
  const unsigned laneAxis;
  std::vector<const Expr *> definitions; ///< per slot: the latest one so far at the top level of the kernel
};

} // namespace

/// The assignments before it are evaluated again for each part of the grid, so they may not load, call or make arrays.
bool isAllOf(const StridedLoop &loop, const TypedFunction &kernel) {
  auto isOther = [](const Expr &node) {
    return node.kind != ExprKind::Slot && node.kind != ExprKind::Operation && !isPlain(node.kind);
  };
  return kernel.body.back() == loop.statement &&
         !anyNode(kernel.body.first(kernel.body.size() - 1), isOther,
                  [](const Stmt &node) { return node.kind != StmtKind::Assign; });
}

std::vector<StridedLoop> findStridedLoops(const StridedLoopSearch &search) { return Finder(search).run(); }

} // namespace treadle
