// array_origins: tracks arrays from the kernel's parameters into variables and functions, up to a fixed point.
#include "passes/analyses/array_origins.h"

#include "passes/analyses/tree_walk.h"
#include "support/error.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include <algorithm>

namespace treadle {

using namespace typed;

/// Origins first, up to a fixed point, then what overlaps with what is written, then which functions read it: each
/// needs the whole of the one before. Sets only grow, so each search ends.
ArrayOrigins::ArrayOrigins(const TypedFunction &kernel, bool noOverlap)
    : shared(kernel.parameterCount), elsewhere(kernel.parameterCount + 1), written(kernel.parameterCount + 2) {
  functions = withCallees(kernel);
  for (const TypedFunction *function : functions)
    known[function] = {std::vector<Origins>(function->slots.size(), Origins(elsewhere + 1)), Origins(elsewhere + 1)};
  for (uint32_t i = 0; i < kernel.parameterCount; ++i)
    known[&kernel].slots[i].set(i);
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const TypedFunction *function : functions)
      isNew |= follow(*function);
  }
  if (!noOverlap)
    addOverlaps(kernel);
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const TypedFunction *function : functions)
      if (!looking.contains(function) && looks(*function))
        isNew = looking.insert(function).second;
  }
}

bool ArrayOrigins::add(Origins &to, const Origins &more) {
  const unsigned before = to.count();
  to |= more;
  return to.count() != before;
}

/// The origins found so far for an array, or for the arrays in a tuple.
/// A selection, a view or an item of a tuple may be any of the arrays in it. Captured host arrays have no origin, as
/// arrays of the thread have none: they are constants, which no thread writes.
ArrayOrigins::Origins ArrayOrigins::of(const TypedFunction &function, const Expr &array) const {
  Origins origins(elsewhere + 1);
  if (array.type->isNumber())
    return origins;
  switch (array.kind) {
  case ExprKind::Slot:
    return known.at(&function).slots[array.as<SlotRead>().slot->index];
  case ExprKind::Allocation:
    if (array.type->space() == Space::Shared)
      origins.set(shared);
    return origins;
  case ExprKind::HeapArray: // private to the thread
    return origins;
  case ExprKind::Captured:
    if (function.captured[array.as<Captured>().id].position)
      origins.set(elsewhere);
    return origins;
  case ExprKind::Call:
    return known.at(array.as<Call>().callee).result;
  case ExprKind::Const:
  case ExprKind::Operation:
  case ExprKind::Conditional:
  case ExprKind::Load:
  case ExprKind::View:
  case ExprKind::Attribute:
  case ExprKind::Tuple:
  case ExprKind::Item:
  case ExprKind::ItemAt:
  case ExprKind::Block:
  case ExprKind::Atomic:
  case ExprKind::WarpOp:
    forEachOperand(array, [&](const Expr &operand) { origins |= of(function, operand); });
    return origins;
  }
  failCheck("a known kind of expression", __FILE__, __LINE__);
}

/// One walk in the order of the tree. An assignment after a use takes another round to be seen.
bool ArrayOrigins::follow(const TypedFunction &function) {
  Known &own = known.at(&function);
  bool isNew = false;
  auto expression = [&](const Expr &node) {
    if (const Expr *array = changedArray(node))
      isNew |= add(written, of(function, *array));
    if (node.kind != ExprKind::Call)
      return;
    const Call &call = node.as<Call>();
    for (size_t i = 0; i < call.arguments.size(); ++i)
      isNew |= add(known.at(call.callee).slots[i], of(function, *call.arguments[i]));
  };
  auto statement = [&](const Stmt &node) {
    if (const Expr *array = changedArray(node))
      isNew |= add(written, of(function, *array));
    if (node.kind == StmtKind::Assign)
      isNew |= add(own.slots[node.as<Assign>().slot->index], of(function, *node.as<Assign>().value));
    if (node.kind == StmtKind::Return && node.as<Return>().value)
      isNew |= add(own.result, of(function, *node.as<Return>().value));
  };
  forEachNode(function, expression, statement);
  return isNew;
}

/// A write through one argument counts for every argument, and for the captured device arrays, that may be the same
/// memory.
void ArrayOrigins::addOverlaps(const TypedFunction &kernel) {
  auto elementOf = [&](uint32_t parameter) -> const Type * {
    const Type *type = kernel.slots[parameter]->type;
    return type->isArray() ? type->element() : nullptr;
  };
  auto isCaptured = [&](const Type *element) {
    return element && std::ranges::any_of(functions, [&](const TypedFunction *function) {
             return std::ranges::any_of(function->captured, [&](const CapturedArray &array) {
               return array.position && array.type->element() == element;
             });
           });
  };
  const Origins direct = written;
  for (uint32_t i = 0; i < kernel.parameterCount; ++i) {
    for (uint32_t j = 0; j < kernel.parameterCount; ++j)
      if (direct.test(j) && elementOf(i) == elementOf(j))
        written.set(i);
    if (direct.test(elsewhere) && isCaptured(elementOf(i)))
      written.set(i);
    if (direct.test(i) && isCaptured(elementOf(i)))
      written.set(elsewhere);
  }
}

bool ArrayOrigins::isWritten(const TypedFunction &function, const Expr &array) const {
  return of(function, array).anyCommon(written);
}

/// No other thread can have written what has no origin.
bool ArrayOrigins::isLocal(const TypedFunction &function, const Expr &array) const {
  return of(function, array).none();
}

bool ArrayOrigins::isOfBlock(const TypedFunction &function, const Expr &array) const {
  Origins origins = of(function, array);
  origins.reset(shared);
  return origins.none();
}

/// Based on what is known so far about its callees.
bool ArrayOrigins::looks(const TypedFunction &function) const {
  bool found = false;
  TreeVisitor visitor{[&](const Expr &node) {
                        if (node.kind == ExprKind::Load)
                          found |= isWritten(function, *node.as<Load>().at.array);
                        if (node.kind == ExprKind::Call)
                          found |= looking.contains(node.as<Call>().callee);
                        found |= node.kind == ExprKind::Atomic;
                        return !found;
                      },
                      [&](const Stmt &node) {
                        if (node.kind != StmtKind::Effect || node.as<Effect>().value->kind != ExprKind::Atomic)
                          return !found;
                        // The result of the effect is unused.
                        forEachOperand(*node.as<Effect>().value, [&](const Expr &operand) { visitor.walk(operand); });
                        return false;
                      }};
  visitor.walk(function.body);
  return found;
}

} // namespace treadle
