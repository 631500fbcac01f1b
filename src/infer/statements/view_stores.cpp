// Assignments to views.
// Whole arrays are assigned by loops over all axes, the first one outermost, so that the last, which is contiguous in C
// order, is the innermost. Nothing is copied before: the value is computed where it is stored, and so may read what was
// stored.
#include "infer/statements/stores.h"

#include <algorithm>

namespace treadle {

/// NumPy drops leading axes of extent 1 here; whether they are is known only at run time.
[[noreturn]] static void failMoreAxes(const Tree &tree, SourceSpan span) {
  tree.failTyping(span, "an array with more axes than the target cannot be assigned to it",
                  "index the array, or assign it in a loop");
}

/// In kernels compiled with debug: extents that cannot be broadcast are an error.
/// Each operand against the whole: its extent is 1 or the common one. Computed arrays and products do not broadcast.
void Stores::checkBroadcast(const typed::Expr &value, SourceSpan span) {
  if (!value.type->is(Series::Elementwise) || isProduct(*value.type) || isComputed(*value.type))
    return;
  const unsigned ndim = axesOf(*value.type);
  for (const typed::Expr *operand : value.as<typed::Tuple>().items) {
    checkBroadcast(*operand, span);
    for (unsigned axis = 0; axis < ndim && hasElements(*operand->type); ++axis) {
      typed::Expr *own = sequences.broadcastExtent(*operand, axis, ndim, span);
      if (!own)
        continue;
      own = tree.materialize(own);
      checkExtent(own, sequences.broadcastExtent(value, axis, ndim, span), "operands could not be broadcast together",
                  span);
    }
  }
}

/// `view[...] = value`, element by element, in the order from Aliasing::orderOf(). Axes of extent 1 of the value are
/// broadcast. A value that does not fit raises ValueError in debug kernels; in others, the common part is assigned.
/// A single value is converted once, before the loops; elements of an array are converted one by one.
void Stores::storeView(typed::Expr *target, typed::Expr *value, SourceSpan span) {
  const Type *element = target->type->element();
  if (value->type->isPlainTuple() && target->type->ndim() > 0)
    return storeTuple(target, value, span);
  if (element->isRecord())
    tree.failUnsupported(span, "several records cannot be assigned at once", "assign them one by one in a loop");
  const unsigned dimensions = target->type->ndim();
  typed::Expr *source = nullptr;
  const Aliasing::Order order = aliasing.orderOf(*target, *value, span);
  const bool isDown = order.isDescending;
  if (value->type->isArray() || value->type->is(Series::Elementwise) || value->type->is(Series::Range)) {
    if (axesOf(*value->type) > dimensions)
      failMoreAxes(tree, value->span);
    source = sequences.settledSeries(value);
    checkBroadcast(*source, span);
  } else {
    value = tree.spill(access.elementValue(value, element, "this value cannot be stored into the array", value->span));
  }
  typed::Expr *view = tree.spill(target);
  if (source)
    checkFits(*view, *source, span);
  if (source && !order.unsure.empty())
    aliasing.checkOrder(*view, *source, span);
  out.writesMemory = true;
  Items at, last;
  std::vector<typed::Slot *> counters;
  for (unsigned axis = 0; axis < dimensions; ++axis)
    counters.push_back(tree.newSlot(types::intp(), "", span));
  for (unsigned axis = 0; axis < dimensions && isDown; ++axis)
    last.push_back(tree.materialize(tree.operation(
        Operation::Sub, types::intp(), {assignedExtent(*view, source, axis, span), tree.index(1, span)}, span)));
  typed::Body body = tree.collect([&] {
    for (unsigned axis = 0; axis < dimensions; ++axis) {
      typed::Expr *counter = tree.read(counters[axis], span);
      at.push_back(isDown ? tree.materialize(tree.operation(Operation::Sub, types::intp(), {last[axis], counter}, span))
                          : counter);
    }
    typed::Expr *item = value;
    if (source)
      item = tree.inBlock(span, [&] {
        return access.elementValue(sequences.broadcastElement(*source, at, dimensions, span), element,
                                   "this array cannot be stored into the other", span);
      });
    access.storeElement(tree.clone(view), at, item, span);
  });
  for (unsigned axis = dimensions; axis-- > 0;) {
    typed::Stmt *loop = tree.statement<typed::Range>(typed::StmtKind::Range, span, counters[axis], types::intp(),
                                                     tree.index(0, span), assignedExtent(*view, source, axis, span),
                                                     tree.index(1, span), body, typed::Body());
    body = tree.body({loop});
  }
  for (typed::Stmt *statement : body)
    tree.emit(statement);
}

/// The number of elements that are assigned along an axis of the target.
typed::Expr *Stores::assignedExtent(const typed::Expr &view, const typed::Expr *source, unsigned axis,
                                    SourceSpan span) {
  typed::Expr *extent = access.extentOf(view, axis, span);
  const unsigned dimensions = view.type->ndim();
  typed::Expr *given = source ? sequences.broadcastExtent(*source, axis, dimensions, span) : nullptr;
  if (!given)
    return extent;
  given = tree.materialize(given);
  typed::Expr *isOne = tree.test(Operation::Eq, {tree.clone(given), tree.index(1, span)}, span);
  typed::Expr *both = tree.operation(Operation::Min, types::intp(), {access.extentOf(view, axis, span), given}, span);
  return tree.operation(Operation::Select, types::intp(), {isOne, extent, both}, span);
}

/// The extent 1 fits any, by broadcasting.
void Stores::checkExtent(typed::Expr *simple, typed::Expr *wanted, const std::string &message, SourceSpan span) {
  typed::Expr *isOne = tree.test(Operation::Eq, {tree.clone(simple), tree.index(1, span)}, span);
  typed::Expr *isSame = tree.test(Operation::Eq, {simple, wanted}, span);
  typed::Expr *fits = tree.test(Operation::BitOr, {isOne, isSame}, span);
  tree.raiseWhere(tree.test(Operation::Not, {fits}, span), message, span);
}

void Stores::checkFits(const typed::Expr &view, const typed::Expr &source, SourceSpan span) {
  const unsigned dimensions = view.type->ndim();
  for (unsigned axis = 0; axis < dimensions; ++axis) {
    typed::Expr *given = sequences.broadcastExtent(source, axis, dimensions, span);
    if (!given)
      continue;
    given = tree.materialize(given);
    checkExtent(given, access.extentOf(view, axis, span), "cannot assign an array to a slice of another size", span);
  }
}

namespace {

/// Whether NumPy could make an array of it: all items have the same number of axes.
/// `((1, 2), (3, 4))`, `(row, row)`; not `(1, (2, 3))`.
bool isRegular(const Type &type) {
  if (!type.isPlainTuple())
    return true;
  const auto items = type.items();
  return std::all_of(items.begin(), items.end(),
                     [&](const Type *item) { return isRegular(*item) && axesOf(*item) == axesOf(*items[0]); });
}

} // namespace

/// `view[...] = (a, b, c)`: item by item along the last axis, or the axis that fits the items' dimensions; for every
/// row of the axes before it. In kernels without debug, items beyond the view are dropped.
void Stores::storeTuple(typed::Expr *view, typed::Expr *value, SourceSpan span) {
  if (!isRegular(*value->type))
    tree.failTyping(value->span, "the items of this tuple have different numbers of axes",
                    "assign them to elements, rows or slices one by one");
  const unsigned axes = axesOf(*value->type);
  if (axes > view->type->ndim())
    failMoreAxes(tree, value->span);
  Items items = tree.itemsOf(value);
  for (typed::Expr *&item : items)
    item = item->kind == typed::ExprKind::Const ? item : sequences.settledSeries(item);
  view = tree.spill(view);
  if (axes < view->type->ndim()) {
    typed::Slot *row = tree.newSlot(types::intp(), "", span);
    const typed::Body body = tree.collect([&] {
      storeTuple(access.rowView(tree.clone(view), {tree.read(row, span)}, span), tree.tuple(value->type, items, span),
                 span);
    });
    return tree.emit(tree.statement<typed::Range>(typed::StmtKind::Range, span, row, types::intp(), tree.index(0, span),
                                                  access.extentOf(*view, 0, span), tree.index(1, span), body,
                                                  typed::Body()));
  }
  storeItems(view, items, span);
}

/// A slice's length is known only at run time, so each item is stored under a test of its own.
void Stores::storeItems(typed::Expr *view, const Items &items, SourceSpan span) {
  auto number = [&](size_t value) { return tree.index(int64_t(value), span); };
  if (items.size() == 1) { // broadcast along the axis
    typed::Slot *place = tree.newSlot(types::intp(), "", span);
    const typed::Body body = tree.collect([&] { store({tree.clone(view), {tree.read(place, span)}}, items[0], span); });
    return tree.emit(tree.statement<typed::Range>(typed::StmtKind::Range, span, place, types::intp(), number(0),
                                                  access.extentOf(*view, 0, span), number(1), body, typed::Body()));
  }
  tree.raiseWhere(tree.test(Operation::Ne, {access.extentOf(*view, 0, span), number(items.size())}, span),
                  "cannot assign " + counted(items.size(), "value") + " to a slice of another size", span);
  for (size_t i = 0; i < items.size(); ++i) {
    typed::Expr *isInside = tree.test(Operation::Lt, {number(i), access.extentOf(*view, 0, span)}, span);
    const typed::Body body = tree.collect([&] { store({tree.clone(view), {number(i)}}, items[i], span); });
    tree.emit(tree.statement<typed::If>(typed::StmtKind::If, span, isInside, body, typed::Body()));
  }
}

} // namespace treadle
