// TreeCopy: one case for each kind of node.
// Expressions and statements are copied; texts, shapes and the like stay those of the original, which therefore lives
// as long as the copy.
#include "passes/rewrites/tree_copy.h"

#include "support/error.h"

namespace treadle {

using namespace typed;

/// Slots are appended, so several activations in one function have variables of their own, and those of the first
/// copied function keep their indices. Origins of spans are numbers in the `expanded` list of one function, which a
/// second copy would have to renumber: it is refused.
TreeCopy::TreeCopy(TypedFunction &out, const TypedFunction &from, uint32_t origin)
    : out(out), from(from), origin(origin), nodes(out.nodes), firstCaptured(uint32_t(out.captured.size())) {
  TREADLE_CHECK(from.expanded.empty());
  for (const Slot *slot : from.slots) {
    Slot *copy = out.nodes.make<Slot>(*slot);
    copy->index = uint32_t(out.slots.size());
    out.slots.push_back(copy);
    slots.push_back(copy);
  }
  out.captured.insert(out.captured.end(), from.captured.begin(), from.captured.end());
  out.callees.insert(out.callees.end(), from.callees.begin(), from.callees.end());
}

/// Statement by statement: `copyInto` may make several of one, or none.
Body TreeCopy::copy(Body body) {
  std::vector<Stmt *> statements;
  for (const Stmt *statement : body)
    copyInto(statements, *statement);
  return listOf(statements);
}

Body TreeCopy::listOf(const std::vector<Stmt *> &statements) {
  std::span<Stmt *> list = out.nodes.list(statements);
  return {list.data(), list.size()};
}

/// Without a name, so that debuggers do not show it.
Slot *TreeCopy::newSlot(const Type *type, SourceSpan span) {
  Slot *slot = out.nodes.make<Slot>(uint32_t(out.slots.size()), type, std::string_view(), span, false);
  out.slots.push_back(slot);
  return slot;
}

/// A clone has the fields of the original, and so still refers to its operands: `change` must replace all of them.
template <typename T, typename Change> Expr *TreeCopy::changed(const Expr &expression, Change change) {
  T *result = clone(expression.as<T>());
  change(*result);
  return result;
}

template <typename T, typename Change> Stmt *TreeCopy::changedStatement(const Stmt &statement, Change change) {
  T *result = clone(statement.as<T>());
  change(*result);
  return result;
}

std::span<Expr *const> TreeCopy::copyAll(std::span<Expr *const> items) {
  std::vector<Expr *> copies;
  for (const Expr *item : items)
    copies.push_back(copy(*item));
  std::span<Expr *> list = out.nodes.list(copies);
  return {list.data(), list.size()};
}

Expr *TreeCopy::copyView(const View &view) {
  View *result = clone(view);
  result->array = copy(*view.array);
  std::vector<ViewAxis> axes;
  for (const ViewAxis &axis : view.axes)
    axes.push_back({axis.kind, copyOptional(axis.start), copyOptional(axis.stop), copyOptional(axis.step)});
  std::span<ViewAxis> list = out.nodes.list(axes);
  result->axes = {list.data(), list.size()};
  return result;
}

/// Replacements come first: a node that has one is not seen by `copyNode`, nor by the rules in it.
Expr *TreeCopy::copy(const Expr &expression) {
  if (const auto made = replacements.find(&expression); made != replacements.end())
    return made->second;
  return copyNode(expression);
}

/// The order in which operands are copied has no meaning; that in which the copies are evaluated is the order of the
/// fields. Captured data is appended to that of `out`, hence the shift of its numbers. A local array that outlives the
/// activation needs memory for each copy of the call that made it.
Expr *TreeCopy::copyNode(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Const:
    return clone(e.as<Const>());
  case ExprKind::Slot:
    return changed<SlotRead>(e, [&](SlotRead &read) { read.slot = slots[read.slot->index]; });
  case ExprKind::Operation:
    return changed<OperationExpr>(e, [&](OperationExpr &op) { op.operands = copyAll(op.operands); });
  case ExprKind::Conditional:
    return changed<Conditional>(e, [&](Conditional &choice) {
      choice.test = copy(*choice.test);
      choice.then = copy(*choice.then);
      choice.otherwise = copy(*choice.otherwise);
    });
  case ExprKind::Call:
    return changed<Call>(e, [&](Call &call) { call.arguments = copyAll(call.arguments); });
  case ExprKind::Load:
    return changed<Load>(e, [&](Load &load) { load.at = copyIndexed(load.at); });
  case ExprKind::View:
    return copyView(e.as<View>());
  case ExprKind::Attribute:
    return changed<Attribute>(e, [&](Attribute &a) { a.array = copy(*a.array); });
  case ExprKind::Tuple:
    return changed<Tuple>(e, [&](Tuple &tuple) { tuple.items = copyAll(tuple.items); });
  case ExprKind::Item:
    return changed<Item>(e, [&](Item &item) { item.tuple = copy(*item.tuple); });
  case ExprKind::ItemAt:
    return changed<ItemAt>(e, [&](ItemAt &item) {
      item.tuple = copy(*item.tuple);
      item.index = copy(*item.index);
    });
  case ExprKind::Block:
    return changed<Block>(e, [&](Block &block) {
      block.body = copy(block.body);
      block.value = copy(*block.value);
    });
  case ExprKind::Allocation:
    return changed<Allocation>(e, [&](Allocation &array) { // a shared one denotes the same array
      if (array.type->space() == Space::Local)
        array.copy = arrayCopy();
    });
  case ExprKind::HeapArray:
    return changed<HeapArray>(e, [&](HeapArray &array) {
      array.count = copy(*array.count);
      array.copy = arrayCopy();
    });
  case ExprKind::Captured:
    return changed<Captured>(e, [&](Captured &captured) { captured.id += firstCaptured; });
  case ExprKind::WarpOp:
    return changed<WarpOp>(e, [&](WarpOp &op) { op.operands = copyAll(op.operands); });
  case ExprKind::Atomic:
    return changed<Atomic>(e, [&](Atomic &atomic) {
      atomic.value = copy(*atomic.value);
      atomic.compare = copyOptional(atomic.compare);
      atomic.at = copyIndexed(atomic.at);
    });
  }
  failCheck("a known kind of expression", __FILE__, __LINE__);
}

void TreeCopy::copyInto(std::vector<Stmt *> &statements, const Stmt &statement) {
  statements.push_back(copyOne(statement));
}

/// Bodies go through `copy(Body)` and so through `copyInto`. Jumps refer to their loop by nesting alone, which a copy
/// keeps.
Stmt *TreeCopy::copyOne(const Stmt &s) {
  switch (s.kind) {
  case StmtKind::Assign:
    return nodes.assign(slots[s.as<Assign>().slot->index], copy(*s.as<Assign>().value), s.span);
  case StmtKind::Store:
    return changedStatement<Store>(s, [&](Store &store) {
      store.value = copy(*store.value);
      store.at = copyIndexed(store.at);
    });
  case StmtKind::Effect:
    return changedStatement<Effect>(s, [&](Effect &effect) { effect.value = copy(*effect.value); });
  case StmtKind::If:
    return changedStatement<If>(s, [&](If &branch) {
      branch.test = copy(*branch.test);
      branch.then = copy(branch.then);
      branch.otherwise = copy(branch.otherwise);
    });
  case StmtKind::While:
    return changedStatement<While>(s, [&](While &loop) {
      loop.test = copy(*loop.test);
      loop.body = copy(loop.body);
      loop.otherwise = copy(loop.otherwise);
    });
  case StmtKind::Range:
    return copyRange(s.as<Range>());
  case StmtKind::Return:
    return changedStatement<Return>(s, [&](Return &back) { back.value = copyOptional(back.value); });
  case StmtKind::Assert:
    return changedStatement<Assert>(s, [&](Assert &assertion) { assertion.test = copy(*assertion.test); });
  case StmtKind::Print:
    return changedStatement<Print>(s, [&](Print &print) { print.items = copyAll(print.items); });
  case StmtKind::Barrier:
    return changedStatement<Barrier>(s, [&](Barrier &barrier) { barrier.predicate = copyOptional(barrier.predicate); });
  case StmtKind::Raise:
    return clone(s.as<Raise>());
  case StmtKind::Break:
  case StmtKind::Continue:
    return clone(s);
  }
  failCheck("a known kind of statement", __FILE__, __LINE__);
}

Stmt *TreeCopy::copyRange(const Range &range) {
  Range *result = clone(range);
  result->slot = slots[range.slot->index];
  result->start = copy(*range.start);
  result->stop = copy(*range.stop);
  result->step = copy(*range.step);
  result->body = copy(range.body);
  result->otherwise = copy(range.otherwise);
  return result;
}

} // namespace treadle
