// narrow_floats: finds the variables, then copies the kernel.
#include "passes/narrow_floats.h"

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

/// What has to be so for a value of float64 to be one of float32.
struct Needs {
  std::vector<const Slot *> slots; ///< that are narrow
  bool isPossible = true;
  bool hasElement = false; ///< it is more than a choice between constants
  bool hasChoice = false;

  void add(const Expr &value) {
    switch (value.kind) {
    case ExprKind::Const:
      isPossible &= isFloat32(value.as<Const>().real);
      return;
    case ExprKind::Slot:
      slots.push_back(value.as<SlotRead>().slot);
      hasElement = true;
      return;
    case ExprKind::Conditional:
      hasChoice = true;
      add(*value.as<Conditional>().then);
      return add(*value.as<Conditional>().otherwise);
    case ExprKind::Operation:
      return addOperation(value.as<OperationExpr>());
    default:
      isPossible = false;
    }
  }

  /// `value` is rounded to float32.
  void addRounded(const Expr &value) {
    if (value.kind == ExprKind::Operation && roundsAlike(value.as<OperationExpr>().op))
      addOperands(value.as<OperationExpr>());
    else
      add(value);
  }

private:
  void addOperands(const OperationExpr &operation) {
    for (const Expr *operand : operation.operands)
      if (operand->type == types::float64())
        add(*operand);
  }

  void addOperation(const OperationExpr &operation) {
    if (operation.op == Operation::Convert) {
      isPossible &= isWidening(operation);
      hasElement = true;
    } else if (choosesOperand(operation.op)) {
      hasChoice = true;
      addOperands(operation);
    } else {
      isPossible = false;
    }
  }
};

/// The variables that can be narrow.
class NarrowSlots {
public:
  explicit NarrowSlots(const TypedFunction &function)
      : isNarrow(function.slots.size()), isWide(function.slots.size()), dependents(function.slots.size()) {
    TreeVisitor visitor{[&](const Expr &e) {
                          hasChoice |= isRoundedResult(e) && hasChoiceIn(operandOf(e));
                          return true;
                        },
                        [&](const Stmt &statement) {
                          if (statement.kind == StmtKind::Assign)
                            see(statement.as<Assign>());
                          return true;
                        }};
    visitor.walk(function.body);
    for (const Slot *slot : function.slots)
      if (isWide[slot->index] || !isNarrow[slot->index])
        widen(*slot);
  }

  bool contains(const Slot &slot) const { return isNarrow[slot.index]; }
  bool any() const { return hasChoice || std::ranges::find(isNarrow, true) != isNarrow.end(); }

  bool holds(const Needs &needs) const {
    return needs.isPossible && std::ranges::all_of(needs.slots, [&](const Slot *slot) { return contains(*slot); });
  }

private:
  /// LLVM looks through anything else.
  static bool hasChoiceIn(const Expr &rounded) {
    Needs needs;
    needs.addRounded(rounded);
    return needs.isPossible && needs.hasChoice;
  }

  void see(const Assign &assign) {
    const Slot &slot = *assign.slot;
    if (slot.type != types::float64())
      return;
    Needs needs;
    needs.add(*assign.value);
    if (slot.isParameter || !needs.isPossible)
      isWide[slot.index] = true;
    for (const Slot *other : needs.slots)
      dependents[other->index].push_back(&slot);
    if (needs.hasElement)
      isNarrow[slot.index] = true;
  }

  void widen(const Slot &first) {
    std::vector<const Slot *> rest{&first};
    while (!rest.empty()) {
      const unsigned index = rest.back()->index;
      rest.pop_back();
      isNarrow[index] = false;
      rest.insert(rest.end(), dependents[index].begin(), dependents[index].end());
      dependents[index].clear();
    }
  }

  std::vector<bool> isNarrow;                        ///< while assignments are seen: by one of them
  std::vector<bool> isWide;                          ///< by one assignment
  std::vector<std::vector<const Slot *>> dependents; ///< slots to which a slot is assigned
  bool hasChoice = false;
};

class Narrowing final : public TreeCopy {
public:
  Narrowing(TypedFunction &out, const TypedFunction &from, const NarrowSlots &narrow)
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
    Needs needs;
    needs.addRounded(operandOf(e));
    return narrow.holds(needs) ? narrowed(operandOf(e)) : TreeCopy::copyNode(e);
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

  const NarrowSlots &narrow;
};

} // namespace

std::shared_ptr<TypedFunction> narrowFloats(const TypedFunction &kernel) {
  if (!kernel.expanded.empty())
    return nullptr;
  const NarrowSlots narrow(kernel);
  if (!narrow.any())
    return nullptr;
  auto made = std::make_shared<TypedFunction>();
  static_cast<FunctionHeader &>(*made) = kernel;
  made->body = Narrowing(*made, kernel, narrow).copy(kernel.body);
  return made;
}

} // namespace treadle
