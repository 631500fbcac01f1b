// doubled_statements: which statements may stand twice, and which values they leave alone.
#include "passes/rewrites/doubled_statements.h"

#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include "llvm/ADT/STLExtras.h"

namespace treadle {

using namespace typed;

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

OwnSlots::OwnSlots(Rewriter &copy, const DoubledStatements &doubled, const LivenessTable &liveness)
    : copy(copy), kept(copy.slots) {
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

} // namespace treadle
