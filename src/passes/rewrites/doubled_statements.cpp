// doubled_statements: which statements may stand twice, and which values they leave alone.
#include "passes/rewrites/doubled_statements.h"

#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include "llvm/ADT/STLExtras.h"

namespace treadle {

using namespace typed;

namespace {

/// Until the end of a scope, copies of the statements assign to other slots than the originals, where the values are
/// needed neither after them nor by their next run: the two versions may have different shapes. Replacements that are
/// set in the scope end with it.
class FirstVersion {
public:
  FirstVersion(Rewriter &copy, const DoubledStatements &doubled, const LivenessTable &liveness)
      : copy(copy), slots(copy.slots), replacements(copy.replacements) {
    llvm::BitVector own = doubled.assigned;
    own.reset(liveness.before(*doubled.statements.front()));
    own.reset(liveness.after(*doubled.statements.back()));
    for (const unsigned index : own.set_bits()) {
      Slot *&slot = copy.slots[index];
      slot = copy.out.nodes.make<Slot>(*slot);
      slot->index = uint32_t(copy.out.slots.size());
      slot->isParameter = false;
      copy.out.slots.push_back(slot);
    }
  }
  FirstVersion(const FirstVersion &) = delete;
  FirstVersion &operator=(const FirstVersion &) = delete;
  ~FirstVersion() {
    copy.slots = slots;
    copy.replacements = replacements;
  }

private:
  Rewriter &copy;
  const decltype(Rewriter::slots) slots;
  const decltype(Rewriter::replacements) replacements;
};

} // namespace

/// What the test before the statements computes, for all active threads, whether or not they would have reached it: so
/// nothing that loads, divides or costs more than a few instructions.
bool DoubledStatements::isFixed(const Expr &expression) const {
  if (const Slot *slot = readSlot(expression))
    return !assigned.test(slot->index) && (slot->isParameter || defined.test(slot->index));
  if (expression.kind == ExprKind::Attribute)
    return isFixed(*expression.as<Attribute>().array);
  if (expression.kind != ExprKind::Operation)
    return expression.kind == ExprKind::Const;
  const auto &operation = expression.as<OperationExpr>();
  const bool isPlain = operation.op == Operation::Add || operation.op == Operation::Sub ||
                       operation.op == Operation::Mul || operation.op == Operation::Convert ||
                       operation.operands.empty();
  return isPlain && expression.type->isInt() &&
         llvm::all_of(operation.operands, [&](const Expr *part) { return isFixed(*part); });
}

/// A variable of a loop that starts at the thread's position counts as such: its neighbours have made as many steps.
bool isOfThread(const Expr &expression, const Uses &uses) {
  if (!expression.type->isInt())
    return false;
  if (const Slot *slot = readSlot(expression)) {
    if (const Range *loop = uses.onlyLoop(*slot))
      return isOfThread(*loop->start, uses);
    const Expr *value = uses.onlyValue(*slot);
    return value && isOfThread(*value, uses);
  }
  if (expression.kind != ExprKind::Operation)
    return false;
  const auto &operation = expression.as<OperationExpr>();
  if (operation.op == Operation::Add || operation.op == Operation::Sub)
    return isOfThread(*operation.operands[0], uses) || isOfThread(*operation.operands[1], uses);
  if (operation.op == Operation::Convert)
    return isOfThread(*operation.operands[0], uses);
  const auto at = positionOf(operation.op);
  return at && (at->position == Position::Grid || at->position == Position::ThreadIdx);
}

/// Unique nodes (typed/traits.h) belong to their place in the code. Calls that are not inlined are left alone as well.
bool mayStandTwice(Body statements, unsigned budget) {
  unsigned nodes = 0;
  auto isUnique = [&](const Expr &node) {
    return ++nodes > budget || traits(node.kind).isUnique || node.kind == ExprKind::Call;
  };
  auto isLong = [&](const Stmt &node) {
    return ++nodes > budget || traits(node.kind).waits || node.kind == StmtKind::While;
  };
  return llvm::none_of(statements, [&](const Stmt *one) { return anyNode(*one, isUnique, isLong); });
}

/// Both versions are copied from the same statements: the second one with all rules but the replacements. A warp in
/// which the test fails for some active thread runs the second for all of them.
Stmt *DoubledStatements::inTwoVersions(const Rule::Rest &rest, const LivenessTable &liveness, Expr *test,
                                       llvm::function_ref<void()> replace) const {
  Rewriter &copy = rest.copy;
  Rule::Statements first, second;
  {
    const FirstVersion scope(copy, *this, liveness);
    replace();
    for (const Stmt *one : statements)
      rest(first, *one);
  }
  for (const Stmt *one : statements)
    rest(second, *one);
  const SourceSpan span = statements.front()->span;
  auto *choice = copy.nodes.statement<If>(StmtKind::If, span, test, copy.listOf(first), copy.listOf(second));
  choice->isForAll = true;
  return choice;
}

} // namespace treadle
