// vectorizable_loops: what iterations carry in variables, and which elements they access.
#include "passes/analyses/vectorizable_loops.h"

#include "passes/analyses/tree_walk.h"
#include "typed/purity.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace treadle {

using namespace typed;

namespace {

/// The maximum number of nodes of a body, which is generated once more.
constexpr unsigned budget = 100;

using Access = VectorizableLoop::Access;

/// Integers only: sums of floats must keep their order, so LLVM would not vectorize them.
bool combines(Operation op) {
  constexpr Operation all[] = {Operation::Add,   Operation::Sub,    Operation::Mul, Operation::BitAnd,
                               Operation::BitOr, Operation::BitXor, Operation::Min, Operation::Max};
  return llvm::is_contained(all, op);
}

/// The integer is combined with a value: `slot + x`, `max(x, slot)`.
bool combinesInto(const Slot &slot, const Expr &value) {
  if (!slot.type->isInt() || value.kind != ExprKind::Operation)
    return false;
  const auto &operation = value.as<OperationExpr>();
  if (!combines(operation.op))
    return false;
  return readSlot(*operation.operands[0]) == &slot ||
         (readSlot(*operation.operands[1]) == &slot && operation.op != Operation::Sub);
}

/// Each operation takes a cycle or two.
bool isQuick(const Expr &value) {
  return !anyNode(value, [](const Expr &node) {
    if (node.kind != ExprKind::Operation)
      return false;
    const Operation op = node.as<OperationExpr>().op;
    const bool isComparison = node.type->isBool() || op == Operation::Min || op == Operation::Max;
    return op == Operation::Mul || (!node.type->isInt() && !isComparison && op != Operation::Convert);
  });
}

/// One loop.
class Search {
public:
  Search(const Range &loop, const Uses &uses, const JoinLiveness &live)
      : loop(loop), uses(uses), body(uses.of(loop.body)), live(live), assigned(uses.assigned(body)),
        defined(assigned.size()), carried(live.after) {
    carried &= assigned;
  }

  /// The variable must not be read after the loop: threads that run it one after the other would have to leave it as a
  /// loop side by side does. Without adjacent elements, a vector of threads does no worse.
  std::optional<VectorizableLoop> find() {
    if (!stepsByOne() || live.after.test(loop.slot->index) || assigned.test(loop.slot->index))
      return std::nullopt;
    if (!addStatements(loop.body) || !isOfAnyLane() || !addCarried())
      return std::nullopt;
    if (llvm::none_of(found.accesses, [](const Access &access) { return access.isAdjacent; }))
      return std::nullopt;
    return std::move(found);
  }

private:
  bool stepsByOne() const {
    return loop.step->kind == ExprKind::Const && loop.step->as<Const>().integer == 1 && loop.otherwise.empty();
  }

  /// Threads run the body alone, one after the other: nothing in it may depend on which threads are active, on the
  /// thread's number, or on time.
  bool isOfAnyLane() const {
    const Effects effects = effectsOf(loop.body);
    return !effects.meets && !effects.fails && !effects.readsClock && !effects.isOfThread;
  }

  bool addStatements(Body statements) {
    return llvm::all_of(statements, [&](const Stmt *statement) { return ++nodes <= budget && add(*statement); });
  }

  /// What runs in some iterations only defines nothing for what follows.
  bool addArm(llvm::function_ref<bool()> addParts) {
    const llvm::BitVector before = defined;
    const bool isAllowed = addParts();
    defined = before;
    return isAllowed;
  }

  bool add(const Stmt &statement) {
    if (statement.kind == StmtKind::Assign) {
      const bool isAllowed = add(*statement.as<Assign>().value);
      defined.set(statement.as<Assign>().slot->index);
      return isAllowed;
    }
    if (statement.kind == StmtKind::If) {
      const auto &choice = statement.as<If>();
      return add(*choice.test) && addArm([&] { return addStatements(choice.then); }) &&
             addArm([&] { return addStatements(choice.otherwise); });
    }
    if (statement.kind != StmtKind::Store)
      return false;
    // Threads of a warp may, against the rules, exchange values through shared memory in step.
    stores = true;
    const auto &store = statement.as<Store>();
    const Slot *array = readSlot(*store.at.array);
    return array && array->isParameter && add(*store.value) && add(store.at);
  }

  /// A variable that the body assigns, read before an assignment in the same iteration, has the value of an earlier
  /// one.
  bool add(const Expr &expression) {
    if (++nodes > budget)
      return false;
    switch (expression.kind) {
    case ExprKind::Slot: {
      const unsigned index = readSlot(expression)->index;
      if (assigned.test(index) && !defined.test(index))
        carried.set(index);
      return true;
    }
    case ExprKind::Const:
    case ExprKind::Attribute:
      return true;
    case ExprKind::Operation: {
      const auto &operation = expression.as<OperationExpr>();
      return rowOf(operation.op).cost != Cost::Costly &&
             llvm::all_of(operation.operands, [&](const Expr *operand) { return add(*operand); });
    }
    case ExprKind::Conditional: {
      const auto &choice = expression.as<Conditional>();
      return add(*choice.test) && addArm([&] { return add(*choice.then); }) &&
             addArm([&] { return add(*choice.otherwise); });
    }
    case ExprKind::Load:
      return add(expression.as<Load>().at);
    case ExprKind::Block:
      return addStatements(expression.as<Block>().body) && add(*expression.as<Block>().value);
    case ExprKind::Call:
    case ExprKind::View:
    case ExprKind::Tuple:
    case ExprKind::Item:
    case ExprKind::ItemAt:
    case ExprKind::Allocation:
    case ExprKind::HeapArray:
    case ExprKind::Captured:
    case ExprKind::Atomic:
    case ExprKind::WarpOp:
      return false;
    }
    return false;
  }

  bool add(const Indexed &at) {
    const Slot *array = readSlot(*at.array);
    if (!array || assigned.test(array->index))
      return false;
    found.accesses.push_back(access(at));
    return llvm::all_of(at.indices, [&](const Expr *index) { return add(*index); });
  }

  /// `x[row, k]`, `x[k + d]`, `x[d + k]`, `x[k - d]`: in C order, so that the last index counts elements in memory.
  Access access(const Indexed &at) const {
    const Access other{&at, false, nullptr};
    if (at.array->type->layout() != Layout::C || at.indices.empty() ||
        !llvm::all_of(at.indices.first(at.indices.size() - 1), [&](const Expr *index) { return isFixed(*index); }))
      return other;
    const Expr &last = *at.indices.back();
    if (readSlot(last) == loop.slot)
      return {&at, true, nullptr};
    if (!isOperation(last, Operation::Add) && !isOperation(last, Operation::Sub))
      return other;
    const auto &sum = last.as<OperationExpr>();
    const Expr &left = *sum.operands[0], &right = *sum.operands[1];
    if (readSlot(left) == loop.slot && isFixed(right))
      return {&at, true, &right};
    if (sum.op == Operation::Add && readSlot(right) == loop.slot && isFixed(left))
      return {&at, true, &left};
    return other;
  }

  /// Does not change in the loop, nor does it load anything.
  bool isFixed(const Expr &expression) const {
    return !anyNode(expression, [&](const Expr &node) {
      const Slot *slot = readSlot(node);
      return node.kind == ExprKind::Load || (slot && (slot == loop.slot || assigned.test(slot->index)));
    });
  }

  /// Variables that have a value before an iteration, or after the loop, are combined into and not read otherwise, or
  /// follow from the last value within a few cycles. That is a comparison and a choice for floats, in whose time a
  /// vector of threads has gathered an element, but not scattered one.
  bool addCarried() {
    return llvm::all_of(carried.set_bits(), [&](unsigned index) {
      VectorizableLoop::Sum sum{nullptr, {}};
      bool combine = true, areQuick = true, isSum = true;
      forEachStmt(loop.body, [&](const Stmt &node) {
        const Slot *slot = assignedSlot(node);
        if (!slot || slot->index != index)
          return;
        const Expr &value = *node.as<Assign>().value;
        sum.total = slot;
        sum.terms.push_back(&value);
        combine &= combinesInto(*slot, value);
        isSum &= slot->type->isInt() && slot->type->bits() == 64 &&
                 (isOperation(value, Operation::Add) || isOperation(value, Operation::Sub));
        areQuick &= (stores || !slot->type->isFloat()) && isQuick(value);
      });
      const bool isOnlyCombined = combine && uses.reads(*sum.total, body) == sum.terms.size();
      if (isOnlyCombined && isSum)
        addSum(std::move(sum));
      return areQuick || isOnlyCombined;
    });
  }

  /// Of the values that are assigned, what is combined with the total.
  void addSum(VectorizableLoop::Sum sum) {
    for (const Expr *&term : sum.terms) {
      const auto &operands = term->as<OperationExpr>().operands;
      term = operands[readSlot(*operands[0]) == sum.total ? 1 : 0];
    }
    found.sums.push_back(std::move(sum));
  }

  const Range &loop;
  const Uses &uses;
  const Uses::Part body;
  const JoinLiveness &live;
  const llvm::BitVector assigned; ///< in the body
  llvm::BitVector defined;        ///< assigned by each iteration before the current node
  llvm::BitVector carried;        ///< read before that, or after the loop
  unsigned nodes = 0;
  bool stores = false;
  VectorizableLoop found;
};

} // namespace

VectorizableLoops findVectorizableLoops(const TypedFunction &function, const Uses &uses) {
  VectorizableLoops loops;
  std::optional<LivenessTable> liveness;
  forEachStmt(function, [&](const Stmt &node) {
    if (node.kind != StmtKind::Range)
      return;
    if (!liveness)
      liveness = findLiveness(function);
    if (auto found = Search(node.as<Range>(), uses, liveness->of(node)).find())
      loops.emplace(&node, std::move(*found));
  });
  return loops;
}

} // namespace treadle
