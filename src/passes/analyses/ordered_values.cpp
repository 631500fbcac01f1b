// ordered_values: operations whose result is not NaN.
#include "passes/analyses/ordered_values.h"

#include "typed/traits.h"

#include <algorithm>
#include <cmath>

namespace treadle {

using namespace typed;

namespace {

/// Sums, products and quotients are not here: infinities and zeros make NaN of numbers. A conversion makes numbers, or
/// infinities, of numbers, and never NaN of an integer.
bool isOrderedResult(const OperationExpr &operation, const InductiveSlots &slots) {
  const auto isNumber = [&](const Expr *operand) { return isOrdered(*operand, slots); };
  switch (operation.op) {
  case Operation::Convert:
    return operation.operands[0]->type->isInteger() || isNumber(operation.operands[0]);
  case Operation::Neg:
  case Operation::Abs:
  case Operation::Fabs:
    return isNumber(operation.operands[0]);
  case Operation::Min:
  case Operation::Max: // max of a number and NaN is the number
    return std::ranges::any_of(operation.operands, isNumber);
  case Operation::Select:
    return isNumber(operation.operands[1]) && isNumber(operation.operands[2]);
  default:
    return false;
  }
}

} // namespace

bool isOrdered(const Expr &value, const InductiveSlots &slots) {
  if (!value.type->isFloat())
    return false;
  if (value.kind == ExprKind::Const)
    return !std::isnan(value.as<Const>().real);
  if (const Slot *slot = readSlot(value))
    return slots.contains(*slot);
  if (value.kind == ExprKind::Conditional)
    return isOrdered(*value.as<Conditional>().then, slots) && isOrdered(*value.as<Conditional>().otherwise, slots);
  return value.kind == ExprKind::Operation && isOrderedResult(value.as<OperationExpr>(), slots);
}

InductiveSlots findOrderedSlots(const Uses &uses) {
  return InductiveSlots(uses, [](const Assign &assign) { return assign.slot->type->isFloat(); }, isOrdered);
}

} // namespace treadle
