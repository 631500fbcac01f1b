// Views: slices, `...`, new axes, rows; and assignments to them.
#include "infer/inference.h"
#include "infer/known_text.h"

#include <algorithm>

namespace treadle {

using syntax::ExprKind;
using Axis = typed::ViewAxis;

/// An index that keeps an axis or adds one: a slice, `...` or None.
bool ExpressionRules::isViewIndex(const syntax::Expr &index) {
  switch (index.kind) {
  case ExprKind::Slice:
  case ExprKind::Ellipsis:
    return true;
  case ExprKind::Tuple: {
    for (const syntax::Expr *item : index.as<syntax::Sequence>().items)
      if (isViewIndex(*item))
        return true;
    return false;
  }
  case ExprKind::Literal:
  case ExprKind::Name:
  case ExprKind::Attribute: {
    const typed::Expr *value = expr(index);
    return value->type->isNone() || value->type->is(TypeKind::Ellipsis);
  }
  default:
    return false;
  }
}

typed::Expr *ExpressionRules::sliceBound(const syntax::Expr *bound) {
  if (!bound)
    return nullptr;
  typed::Expr *value = unwrap(expr(*bound));
  if (value->type->isNone()) {
    emitValue(value, bound->span);
    return nullptr;
  }
  if (value->type->isInt())
    return value;
  fail(bound->span, {.kind = CompileErrorKind::Typing,
                     .message = "the bounds and the step of a slice must be integers",
                     .found = value->type->name(),
                     .expected = "an integer",
                     .remedy = value->type->isFloat() ? "convert it: int(...)" : ""});
}

Axis ExpressionRules::sliceAxis(const syntax::Slice &slice) {
  Axis axis{Axis::Kind::Slice, sliceBound(slice.start), sliceBound(slice.stop), sliceBound(slice.step)};
  const std::optional<int64_t> step = axis.step ? constantInteger(*axis.step) : std::optional<int64_t>(1);
  if (step == 0)
    fail(slice.step->span, {.kind = CompileErrorKind::Value,
                            .message = "the step of a slice must not be zero",
                            .found = {},
                            .expected = {},
                            .remedy = {}});
  if (step == 1)
    axis.step = nullptr;
  const bool isWhole = !axis.start && !axis.stop && !axis.step;
  return isWhole ? Axis{Axis::Kind::Whole, nullptr, nullptr, nullptr} : axis;
}

/// The axes of the view, by the parts of the index; `...` stands for as many whole axes as are missing.
std::vector<Axis> ExpressionRules::viewAxes(const typed::Expr &array, const syntax::Expr &index) {
  std::vector<const syntax::Expr *> items{&index};
  if (index.kind == ExprKind::Tuple)
    items.assign(index.as<syntax::Sequence>().items.begin(), index.as<syntax::Sequence>().items.end());
  std::vector<Axis> axes;
  std::optional<size_t> ellipsis;
  size_t used = 0;
  for (const syntax::Expr *item : items) {
    if (item->kind == ExprKind::Slice) {
      axes.push_back(sliceAxis(item->as<syntax::Slice>()));
      ++used;
      continue;
    }
    typed::Expr *value = expr(*item);
    if (value->type->is(TypeKind::Ellipsis)) {
      if (ellipsis)
        failTyping(item->span, "an index can have one ... only");
      ellipsis = axes.size();
    } else if (value->type->isNone()) {
      axes.push_back({Axis::Kind::NewAxis, nullptr, nullptr, nullptr});
    } else {
      axes.push_back({Axis::Kind::Index, checkedIndex(value, item->span), nullptr, nullptr});
      ++used;
    }
  }
  checkIndexCount(array, used, index.span);
  if (ellipsis)
    axes.insert(axes.begin() + ptrdiff_t(*ellipsis), array.type->ndim() - used,
                Axis{Axis::Kind::Whole, nullptr, nullptr, nullptr});
  return axes;
}

/// A view keeps C order if it is cut by leading indices and one slice without a step only.
static bool staysContiguous(const Type *array, const std::vector<Axis> &axes) {
  if (array->layout() != Layout::C)
    return false;
  size_t i = 0;
  while (i < axes.size() && axes[i].kind == Axis::Kind::Index)
    ++i;
  if (i < axes.size() && axes[i].kind == Axis::Kind::Slice && !axes[i].step)
    ++i;
  while (i < axes.size() && axes[i].kind == Axis::Kind::Whole)
    ++i;
  return i == axes.size();
}

typed::Expr *ExpressionRules::sliceView(typed::Expr *array, const syntax::Expr &index, SourceSpan span) {
  const std::vector<Axis> axes = viewAxes(*array, index);
  unsigned dimensions = array->type->ndim();
  for (const Axis &axis : axes)
    dimensions += (axis.kind == Axis::Kind::NewAxis) - (axis.kind == Axis::Kind::Index);
  if (dimensions > 8)
    failTyping(span, "an array has at most 8 dimensions");
  const Layout layout = staysContiguous(array->type, axes) ? Layout::C : Layout::Any;
  typed::Expr *view = nodes.view(types::viewOf(array->type, dimensions, layout), typed::ViewKind::Axes, array, axes);
  view->span = span;
  return view;
}

void Inference::failMoreAxes(SourceSpan span) const {
  failTyping(span, "an array with more axes than the target cannot be assigned to it",
             "index the array, or assign it in a loop");
}

/// `view[...] = value`, element by element, in the order that isDescending() says. Axes of extent 1 of the value are
/// broadcast. A value that does not fit raises ValueError in debug kernels; in others, the common part is assigned.
void Inference::storeView(typed::Expr *target, typed::Expr *value, SourceSpan span) {
  const Type *element = target->type->element();
  if (value->type->isPlainTuple() && target->type->ndim() > 0)
    return storeTuple(target, value, span);
  if (element->isRecord())
    failUnsupported(span, "several records cannot be assigned at once", "assign them one by one in a loop");
  const unsigned dimensions = target->type->ndim();
  typed::Expr *source = nullptr;
  const bool isDown = isDescending(*target, *value, span);
  if (value->type->isArray() || value->type->is(Series::Elementwise) || value->type->is(Series::Range)) {
    if (axesOf(*value->type) > dimensions)
      failMoreAxes(value->span);
    source = settledSeries(value);
    checkBroadcast(*source, span);
  } else {
    value = spill(elementValue(value, element, "this value cannot be stored into the array", value->span));
  }
  typed::Expr *view = spill(target);
  if (source)
    checkFits(*view, *source, span);
  out->writesMemory = true;
  Items at, last;
  std::vector<typed::Slot *> counters;
  for (unsigned axis = 0; axis < dimensions; ++axis)
    counters.push_back(newSlot(types::intp(), "", span));
  for (unsigned axis = 0; axis < dimensions && isDown; ++axis)
    last.push_back(materialize(
        nodes.operation(Operation::Sub, types::intp(),
                        {assignedExtent(*view, source, axis, span), nodes.integer(types::intp(), 1, span)}, span)));
  typed::Body body = collect([&] {
    for (unsigned axis = 0; axis < dimensions; ++axis) {
      typed::Expr *counter = nodes.read(counters[axis], span);
      at.push_back(isDown ? materialize(nodes.operation(Operation::Sub, types::intp(), {last[axis], counter}, span))
                          : counter);
    }
    typed::Expr *item = value;
    if (source)
      item = inBlock(span, [&] {
        return elementValue(broadcastElement(*source, at, dimensions, span), element,
                            "this array cannot be stored into the other", span);
      });
    storeElement(clone(view), at, item, span);
  });
  for (unsigned axis = dimensions; axis-- > 0;) {
    typed::Stmt *loop = nodes.statement<typed::Range>(
        typed::StmtKind::Range, span, counters[axis], types::intp(), nodes.integer(types::intp(), 0, span),
        assignedExtent(*view, source, axis, span), nodes.integer(types::intp(), 1, span), body, typed::Body());
    body = nodes.body({loop});
  }
  for (typed::Stmt *statement : body)
    emit(statement);
}

typed::Expr *ValueRules::extentOf(const typed::Expr &array, unsigned axis, SourceSpan span) {
  return nodes.attribute(clone(&array), typed::ArrayAttribute::Shape, int32_t(axis), span);
}

/// How many elements of an axis of the target are assigned.
typed::Expr *Inference::assignedExtent(const typed::Expr &view, const typed::Expr *source, unsigned axis,
                                       SourceSpan span) {
  typed::Expr *extent = extentOf(view, axis, span);
  const unsigned dimensions = view.type->ndim();
  typed::Expr *given = source ? broadcastExtent(*source, axis, dimensions, span) : nullptr;
  if (!given)
    return extent;
  given = materialize(given);
  typed::Expr *isOne =
      nodes.operation(Operation::Eq, types::boolean(), {clone(given), nodes.integer(types::intp(), 1, span)}, span);
  typed::Expr *both = nodes.operation(Operation::Min, types::intp(), {extentOf(view, axis, span), given}, span);
  return nodes.operation(Operation::Select, types::intp(), {isOne, extent, both}, span);
}

void Inference::checkFits(const typed::Expr &view, const typed::Expr &source, SourceSpan span) {
  const unsigned dimensions = view.type->ndim();
  for (unsigned axis = 0; axis < dimensions; ++axis) {
    typed::Expr *given = broadcastExtent(source, axis, dimensions, span);
    if (!given)
      continue;
    given = materialize(given);
    typed::Expr *isOne =
        nodes.operation(Operation::Eq, types::boolean(), {clone(given), nodes.integer(types::intp(), 1, span)}, span);
    typed::Expr *isSame = nodes.operation(Operation::Eq, types::boolean(), {given, extentOf(view, axis, span)}, span);
    typed::Expr *fits = nodes.operation(Operation::BitOr, types::boolean(), {isOne, isSame}, span);
    raiseWhere(nodes.operation(Operation::Not, types::boolean(), {fits}, span),
               "cannot assign an array to a slice of another size", span);
  }
}

void Inference::raiseWhere(typed::Expr *test, const std::string &message, SourceSpan span, std::string_view exception) {
  const bool isShown = span.isKnown() && request.known->called.libraryName.empty();
  const std::string place = isShown ? ", in line " + std::to_string(span.line) + ", column " +
                                          std::to_string(span.column + 1) + " of " + source->function + " (" +
                                          source->file + ")"
                                    : "";
  typed::Stmt *raise =
      nodes.statement<typed::Raise>(typed::StmtKind::Raise, span, exception, uint64_t(0), std::string_view(),
                                    nodes.memory().text(asWritten(message + place) + ","));
  emit(nodes.statement<typed::If>(typed::StmtKind::If, span, test, nodes.body({raise}), typed::Body()));
}

/// Whether NumPy could make an array of it: all items have as many axes.
static bool isRegular(const Type &type) {
  if (!type.isPlainTuple())
    return true;
  const auto items = type.items();
  return std::all_of(items.begin(), items.end(), [&](const Type *item) {
    return isRegular(*item) && ValueRules::axesOf(*item) == ValueRules::axesOf(*items[0]);
  });
}

/// `view[...] = (a, b, c)`: item by item along the last axis, or that which fits what the items are; to every row of
/// the axes before it. In kernels without debug, what lies beyond the view is left out.
void Inference::storeTuple(typed::Expr *view, typed::Expr *value, SourceSpan span) {
  if (!isRegular(*value->type))
    failTyping(value->span, "the items of this tuple have different numbers of axes",
               "assign them to elements, rows or slices one by one");
  const unsigned axes = axesOf(*value->type);
  if (axes > view->type->ndim())
    failMoreAxes(value->span);
  Items items = itemsOf(value);
  for (typed::Expr *&item : items)
    item = item->kind == typed::ExprKind::Const ? item : settledSeries(item);
  view = spill(view);
  if (axes < view->type->ndim()) {
    typed::Slot *row = newSlot(types::intp(), "", span);
    const typed::Body body = collect([&] {
      storeTuple(rowView(clone(view), {nodes.read(row, span)}, span), nodes.tuple(value->type, items, span), span);
    });
    return emit(nodes.statement<typed::Range>(typed::StmtKind::Range, span, row, types::intp(),
                                              nodes.integer(types::intp(), 0, span), extentOf(*view, 0, span),
                                              nodes.integer(types::intp(), 1, span), body, typed::Body()));
  }
  storeItems(view, items, span);
}

void Inference::storeItems(typed::Expr *view, const Items &items, SourceSpan span) {
  auto number = [&](size_t value) { return nodes.integer(types::intp(), int64_t(value), span); };
  if (items.size() == 1) { // for all of the axis
    typed::Slot *place = newSlot(types::intp(), "", span);
    const typed::Body body = collect([&] { store({clone(view), {nodes.read(place, span)}}, items[0], span); });
    return emit(nodes.statement<typed::Range>(typed::StmtKind::Range, span, place, types::intp(), number(0),
                                              extentOf(*view, 0, span), number(1), body, typed::Body()));
  }
  raiseWhere(nodes.operation(Operation::Ne, types::boolean(), {extentOf(*view, 0, span), number(items.size())}, span),
             "cannot assign " + counted(items.size(), "value") + " to a slice of another size", span);
  for (size_t i = 0; i < items.size(); ++i) {
    typed::Expr *isInside =
        nodes.operation(Operation::Lt, types::boolean(), {number(i), extentOf(*view, 0, span)}, span);
    const typed::Body body = collect([&] { store({clone(view), {number(i)}}, items[i], span); });
    emit(nodes.statement<typed::If>(typed::StmtKind::If, span, isInside, body, typed::Body()));
  }
}

} // namespace treadle
