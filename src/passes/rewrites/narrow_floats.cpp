// narrow_floats: finds the variables, and makes their values float32.
#include "passes/rewrites/narrow_floats.h"

#include "passes/analyses/inductive_slots.h"
#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include <algorithm>
#include <cmath>

namespace treadle {

using namespace typed;

namespace {

bool isConversion(const Expr &e) { return isOperation(e, Operation::Convert); }

const Expr &operandOf(const Expr &conversion) { return *conversion.as<OperationExpr>().operands[0]; }

/// Selects one of its operands, possibly negated.
/// Exact in any precision: the result has the bits of an operand but for the sign. NaN stays NaN, and signed zeros
/// compare alike in both types.
bool choosesOperand(Operation op) {
  return op == Operation::Neg || op == Operation::Abs || op == Operation::Fabs || op == Operation::Min ||
         op == Operation::Max || op == Operation::Select;
}

/// Double rounding is harmless: a float32 sum, difference or product computed in float64 rounds to the float32 result.
bool roundsAlike(Operation op) { return op == Operation::Add || op == Operation::Sub || op == Operation::Mul; }

bool isWidening(const Expr &conversion) {
  const Type *from = operandOf(conversion).type;
  return from->isFloat() && from->bits() <= 32;
}

bool isRoundedResult(const Expr &e) {
  return isConversion(e) && e.type == types::float32() && operandOf(e).type == types::float64();
}

/// Infinities and signed zeros are the same in both types; a NaN has no digits to lose that a program could rely on.
bool isFloat32(double value) { return std::isnan(value) || double(float(value)) == value; }

bool isNarrow(const Expr &value, const InductiveSlots &slots);

bool hasNarrowOperands(const OperationExpr &operation, const InductiveSlots &slots) {
  return std::ranges::all_of(operation.operands, [&](const Expr *operand) {
    return operand->type != types::float64() || isNarrow(*operand, slots);
  });
}

/// Whether a float64 value is exactly representable in float32.
/// Sums are not: float64 holds digits of theirs that float32 does not.
bool isNarrow(const Expr &value, const InductiveSlots &slots) {
  if (value.kind == ExprKind::Const)
    return isFloat32(value.as<Const>().real);
  if (const Slot *slot = readSlot(value))
    return slots.contains(*slot);
  if (value.kind == ExprKind::Conditional)
    return isNarrow(*value.as<Conditional>().then, slots) && isNarrow(*value.as<Conditional>().otherwise, slots);
  if (isConversion(value))
    return isWidening(value);
  return value.kind == ExprKind::Operation && choosesOperand(value.as<OperationExpr>().op) &&
         hasNarrowOperands(value.as<OperationExpr>(), slots);
}

/// Whether its result, once rounded, equals that of the float32 operation.
bool isNarrowOnceRounded(const Expr &value, const InductiveSlots &slots) {
  if (value.kind == ExprKind::Operation && roundsAlike(value.as<OperationExpr>().op))
    return hasNarrowOperands(value.as<OperationExpr>(), slots);
  return isNarrow(value, slots);
}

/// Whether the value is selected from others, or computed from such values by one operation.
bool hasChoice(const Expr &value) {
  if (value.kind != ExprKind::Operation || isConversion(value))
    return value.kind == ExprKind::Conditional;
  const auto &operation = value.as<OperationExpr>();
  return choosesOperand(operation.op) ||
         std::ranges::any_of(operation.operands, [](const Expr *operand) { return hasChoice(*operand); });
}

/// Whether more than constants take part in a selection: variables of constants alone may as well be wide.
bool hasElement(const Expr &value) {
  if (value.kind == ExprKind::Conditional)
    return hasElement(*value.as<Conditional>().then) || hasElement(*value.as<Conditional>().otherwise);
  return value.kind != ExprKind::Const;
}

InductiveSlots findNarrowSlots(const Uses &uses) {
  const auto isCandidate = [](const Assign &assign) {
    return assign.slot->type == types::float64() && hasElement(*assign.value);
  };
  return InductiveSlots(uses, isCandidate, isNarrow);
}

/// Whether some selection is made in float64 and rounded: LLVM handles everything else.
bool roundsChoices(const TypedFunction &function, const InductiveSlots &slots) {
  return anyNode(function, [&](const Expr &e) {
    return isRoundedResult(e) && hasChoice(operandOf(e)) && isNarrowOnceRounded(operandOf(e), slots);
  });
}

class Narrowing final : public Rule {
public:
  Narrowing(const TypedFunction &from, InductiveSlots narrow) : from(from), narrow(std::move(narrow)) {}

  /// Before anything is copied, so that every read and assignment of the slot sees its new type.
  void begin(Rewriter &copy) override {
    for (const Slot *slot : from.slots)
      if (narrow.contains(*slot))
        copy.slots[slot->index]->type = types::float32();
  }

  void statement(const Rest &rest, Statements &into, const Stmt &statement) override {
    if (statement.kind != StmtKind::Assign || !narrow.contains(*statement.as<Assign>().slot))
      return rest(into, statement);
    const auto &assign = statement.as<Assign>();
    Rewriter &copy = rest.copy;
    into.push_back(copy.nodes.assign(copy.slots[assign.slot->index], narrowed(copy, *assign.value), assign.span));
  }

  /// Elsewhere a narrow variable is widened where it is read, and its readers stay as they are.
  Expr *expression(const Rest &rest, const Expr &e) override {
    if (const Slot *slot = readSlot(e); slot && narrow.contains(*slot))
      return widened(rest.copy, e, e.span);
    if (!isRoundedResult(e))
      return rest(e);
    const Expr &rounded = operandOf(e);
    if (isNarrow(rounded, narrow))
      return narrowed(rest.copy, rounded);
    const bool isOnce = isNarrowOnceRounded(rounded, narrow);
    return isOnce ? roundedOnce(rest.copy, rounded.as<OperationExpr>(), e.span) : rest(e);
  }

private:
  /// A float64 operation whose operands fit float32. The generators convert it to float32: only they can prevent its
  /// fusion with its user, which would omit the rounding (codegen/roundings.h).
  Expr *roundedOnce(Rewriter &copy, const OperationExpr &operation, SourceSpan span) const {
    std::vector<Expr *> operands;
    for (const Expr *operand : operation.operands) {
      const bool isPlain = operand->kind == ExprKind::Const || isConversion(*operand);
      operands.push_back(isPlain ? copy.copy(*operand) : widened(copy, *operand, span));
    }
    auto *made = copy.out.nodes.make<OperationExpr>(operation);
    made->operands = copy.out.nodes.list(operands);
    return copy.nodes.operation(Operation::Convert, types::float32(), {made}, span);
  }

  Expr *widened(Rewriter &copy, const Expr &value, SourceSpan span) const {
    return copy.nodes.operation(Operation::Convert, types::float64(), {narrowed(copy, value)}, span);
  }

  /// A float64 value as float32, given that it fits, or that its operands do.
  Expr *narrowed(Rewriter &copy, const Expr &value) const {
    if (value.type != types::float64())
      return copy.copy(value);
    if (value.kind == ExprKind::Const)
      return copy.nodes.real(types::float32(), value.as<Const>().real, value.span);
    if (const Slot *slot = readSlot(value))
      return copy.nodes.read(copy.slots[slot->index], value.span);
    if (value.kind == ExprKind::Conditional)
      return narrowedChoice(copy, value.as<Conditional>());
    if (isConversion(value) && operandOf(value).type == types::float32())
      return copy.copy(operandOf(value));
    auto *made = copy.out.nodes.make<OperationExpr>(value.as<OperationExpr>());
    std::vector<Expr *> operands;
    for (const Expr *operand : made->operands)
      operands.push_back(narrowed(copy, *operand));
    made->type = types::float32();
    made->operands = copy.out.nodes.list(operands);
    return made;
  }

  Expr *narrowedChoice(Rewriter &copy, const Conditional &choice) const {
    Expr *test = copy.copy(*choice.test);
    Expr *then = narrowed(copy, *choice.then);
    return copy.nodes.conditional(test, then, narrowed(copy, *choice.otherwise), choice.span);
  }

  const TypedFunction &from;
  const InductiveSlots narrow;
};

} // namespace

std::unique_ptr<Rule> narrowFloats(const RuleInput &input) {
  // A recursive device function would call the original.
  if (!input.kernel.isKernel)
    return nullptr;
  InductiveSlots narrow = findNarrowSlots(input.uses.of(input.kernel));
  if (!narrow.any() && !roundsChoices(input.kernel, narrow))
    return nullptr;
  return std::make_unique<Narrowing>(input.kernel, std::move(narrow));
}

} // namespace treadle
