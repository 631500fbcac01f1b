// narrow_floats: finds the variables, then copies the kernel.
#include "passes/narrow_floats.h"

#include "passes/inductive_slots.h"
#include "passes/tree_copy.h"
#include "passes/tree_walk.h"

#include <algorithm>
#include <cmath>

namespace treadle {

using namespace typed;

namespace {

bool isConversion(const Expr &e) {
  return e.kind == ExprKind::Operation && e.as<OperationExpr>().op == Operation::Convert;
}

const Expr &operandOf(const Expr &conversion) { return *conversion.as<OperationExpr>().operands[0]; }

/// Gives one of its operands, or one with the other sign.
bool choosesOperand(Operation op) {
  return op == Operation::Neg || op == Operation::Abs || op == Operation::Fabs || op == Operation::Min ||
         op == Operation::Max || op == Operation::Select;
}

/// The sum, difference or product of two float32, rounded to float64 and then to float32, is that of float32.
bool roundsAlike(Operation op) { return op == Operation::Add || op == Operation::Sub || op == Operation::Mul; }

bool isWidening(const Expr &conversion) {
  const Type *from = operandOf(conversion).type;
  return from->isFloat() && from->bits() <= 32;
}

bool isRoundedResult(const Expr &e) {
  return isConversion(e) && e.type == types::float32() && operandOf(e).type == types::float64();
}

bool isFloat32(double value) { return std::isnan(value) || double(float(value)) == value; }

bool isNarrow(const Expr &value, const InductiveSlots &slots);

bool hasNarrowOperands(const OperationExpr &operation, const InductiveSlots &slots) {
  return std::ranges::all_of(operation.operands, [&](const Expr *operand) {
    return operand->type != types::float64() || isNarrow(*operand, slots);
  });
}

/// Whether float32 holds a value of float64.
bool isNarrow(const Expr &value, const InductiveSlots &slots) {
  switch (value.kind) {
  case ExprKind::Const:
    return isFloat32(value.as<Const>().real);
  case ExprKind::Slot:
    return slots.contains(*value.as<SlotRead>().slot);
  case ExprKind::Conditional:
    return isNarrow(*value.as<Conditional>().then, slots) && isNarrow(*value.as<Conditional>().otherwise, slots);
  case ExprKind::Operation:
    if (isConversion(value))
      return isWidening(value);
    return choosesOperand(value.as<OperationExpr>().op) && hasNarrowOperands(value.as<OperationExpr>(), slots);
  default:
    return false;
  }
}

/// Whether its result may be that of an operation on float32.
bool isNarrowOnceRounded(const Expr &value, const InductiveSlots &slots) {
  if (value.kind == ExprKind::Operation && roundsAlike(value.as<OperationExpr>().op))
    return hasNarrowOperands(value.as<OperationExpr>(), slots);
  return isNarrow(value, slots);
}

/// Whether the value is chosen from others, or computed from such values by one operation.
bool hasChoice(const Expr &value) {
  if (value.kind != ExprKind::Operation || isConversion(value))
    return value.kind == ExprKind::Conditional;
  const auto &operation = value.as<OperationExpr>();
  return choosesOperand(operation.op) ||
         std::ranges::any_of(operation.operands, [](const Expr *operand) { return hasChoice(*operand); });
}

/// Whether more than constants go into a choice: variables of these alone may as well be wide.
bool hasElement(const Expr &value) {
  if (value.kind == ExprKind::Conditional)
    return hasElement(*value.as<Conditional>().then) || hasElement(*value.as<Conditional>().otherwise);
  return value.kind != ExprKind::Const;
}

InductiveSlots findNarrowSlots(const TypedFunction &function) {
  const auto isCandidate = [](const Assign &assign) {
    return assign.slot->type == types::float64() && hasElement(*assign.value);
  };
  return InductiveSlots(function, isCandidate, isNarrow);
}

/// Whether some choice is made in float64 and rounded: LLVM looks through anything else.
bool roundsChoices(const TypedFunction &function, const InductiveSlots &slots) {
  bool found = false;
  TreeVisitor visitor{[&](const Expr &e) {
                        found |=
                            isRoundedResult(e) && hasChoice(operandOf(e)) && isNarrowOnceRounded(operandOf(e), slots);
                        return !found;
                      },
                      [](const Stmt &) { return true; }};
  visitor.walk(function.body);
  return found;
}

class Narrowing final : public TreeCopy {
public:
  Narrowing(TypedFunction &out, const TypedFunction &from, const InductiveSlots &narrow)
      : TreeCopy(out, from), narrow(narrow) {
    for (const Slot *slot : from.slots)
      if (narrow.contains(*slot))
        slots[slot->index]->type = types::float32();
  }

private:
  void copyInto(std::vector<Stmt *> &statements, const Stmt &statement) override {
    if (statement.kind != StmtKind::Assign || !narrow.contains(*statement.as<Assign>().slot))
      return statements.push_back(copyOne(statement));
    const auto &assign = statement.as<Assign>();
    statements.push_back(nodes.assign(slots[assign.slot->index], narrowed(*assign.value), assign.span));
  }

  Expr *copyNode(const Expr &e) override {
    if (e.kind == ExprKind::Slot && narrow.contains(*e.as<SlotRead>().slot))
      return nodes.operation(Operation::Convert, types::float64(), {narrowed(e)}, e.span);
    if (!isRoundedResult(e))
      return TreeCopy::copyNode(e);
    return isNarrowOnceRounded(operandOf(e), narrow) ? narrowed(operandOf(e)) : TreeCopy::copyNode(e);
  }

  /// A value of float64 in float32, in which it is known to lie, or its operands are.
  Expr *narrowed(const Expr &value) {
    if (value.type != types::float64())
      return copy(value);
    if (value.kind == ExprKind::Const)
      return nodes.real(types::float32(), value.as<Const>().real, value.span);
    if (value.kind == ExprKind::Slot)
      return nodes.read(slots[value.as<SlotRead>().slot->index], value.span);
    if (value.kind == ExprKind::Conditional)
      return narrowedChoice(value.as<Conditional>());
    if (isConversion(value) && operandOf(value).type == types::float32())
      return copy(operandOf(value));
    auto *made = out.nodes.make<OperationExpr>(value.as<OperationExpr>());
    std::vector<Expr *> operands;
    for (const Expr *operand : made->operands)
      operands.push_back(narrowed(*operand));
    made->type = types::float32();
    made->operands = out.nodes.list(operands);
    return made;
  }

  Expr *narrowedChoice(const Conditional &choice) {
    Expr *test = copy(*choice.test);
    Expr *then = narrowed(*choice.then);
    return nodes.conditional(test, then, narrowed(*choice.otherwise), choice.span);
  }

  const InductiveSlots &narrow;
};

} // namespace

std::shared_ptr<TypedFunction> narrowFloats(const TypedFunction &kernel) {
  // A device function that calls itself would call the original.
  if (!kernel.isKernel || !kernel.expanded.empty())
    return nullptr;
  const InductiveSlots narrow = findNarrowSlots(kernel);
  if (!narrow.any() && !roundsChoices(kernel, narrow))
    return nullptr;
  auto made = std::make_shared<TypedFunction>();
  static_cast<FunctionHeader &>(*made) = kernel;
  made->body = Narrowing(*made, kernel, narrow).copy(kernel.body);
  return made;
}

} // namespace treadle
