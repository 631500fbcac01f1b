// ordered_values: what gives a number.
#include "passes/ordered_values.h"

#include <algorithm>
#include <cmath>

namespace treadle {

using namespace typed;

static bool isOrderedResult(const OperationExpr &operation, const InductiveSlots &slots) {
  const auto isNumber = [&](const Expr *operand) { return isOrdered(*operand, slots); };
  switch (operation.op) {
  case Operation::Convert:
    return operation.operands[0]->type->isInteger() || isNumber(operation.operands[0]);
  case Operation::Neg:
  case Operation::Abs:
  case Operation::Fabs:
    return isNumber(operation.operands[0]);
  case Operation::Min:
  case Operation::Max: // of a number and NaN: the number
    return std::ranges::any_of(operation.operands, isNumber);
  case Operation::Select:
    return isNumber(operation.operands[1]) && isNumber(operation.operands[2]);
  default:
    return false;
  }
}

bool isOrdered(const Expr &value, const InductiveSlots &slots) {
  if (!value.type->isFloat())
    return false;
  switch (value.kind) {
  case ExprKind::Const:
    return !std::isnan(value.as<Const>().real);
  case ExprKind::Slot:
    return slots.contains(*value.as<SlotRead>().slot);
  case ExprKind::Conditional:
    return isOrdered(*value.as<Conditional>().then, slots) && isOrdered(*value.as<Conditional>().otherwise, slots);
  case ExprKind::Operation:
    return isOrderedResult(value.as<OperationExpr>(), slots);
  default:
    return false;
  }
}

InductiveSlots findOrderedSlots(const TypedFunction &function) {
  return InductiveSlots(function, [](const Assign &assign) { return assign.slot->type->isFloat(); }, isOrdered);
}

} // namespace treadle
