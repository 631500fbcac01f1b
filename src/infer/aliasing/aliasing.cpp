// Assignments to views whose value reads the same memory: which order is right, and what is refused.
// NumPy copies where a value overlaps its target; here nothing is copied, elements are assigned one by one. Descending
// order is right for `a[1:] = a[:-1]`, ascending order for `a[:-1] = a[1:]`, none for `a -= a[1]`. The question is only
// asked of views of memory with one name: two parameters are taken for separate, as nothing is known of them while
// compiling.
#include "infer/aliasing/aliasing.h"

#include "infer/values/sequences.h"

#include <algorithm>

namespace treadle {

using Axis = typed::ViewAxis;

namespace {

/// Axes that a view does not mention are whole; no view at all, all of them.
Axis axisOf(const typed::View *view, size_t i) {
  return view && i < view->axes.size() ? view->axes[i] : Axis{Axis::Kind::Whole, nullptr, nullptr, nullptr};
}

} // namespace

/// Such a view selects nothing: it may be left out of a chain.
bool Aliasing::isAll(const typed::View &view) {
  if (view.view == typed::ViewKind::Transpose)
    return view.type->ndim() < 2;
  return view.view == typed::ViewKind::Axes && std::all_of(view.axes.begin(), view.axes.end(), [](const Axis &axis) {
           return axis.kind == Axis::Kind::Whole;
         });
}

/// Follows views and variables that are bound once down to what has an identity. nullopt: the array comes from a call,
/// or from a variable that may have changed since a view of it was kept.
std::optional<Aliasing::Place> Aliasing::placeOf(const typed::Expr *array) const {
  Place place;
  while (true) {
    switch (array->kind) {
    case typed::ExprKind::View: {
      const auto &view = array->as<typed::View>();
      if (view.view == typed::ViewKind::Peer)
        return std::nullopt; // its own block's array, or another one's
      if (!isAll(view))
        place.views.insert(place.views.begin(), &view);
      array = view.array;
      continue;
    }
    case typed::ExprKind::Block:
      array = array->as<typed::Block>().value;
      continue;
    case typed::ExprKind::Slot: {
      const typed::Slot &slot = *array->as<typed::SlotRead>().slot;
      const typed::Expr *definition = tree.definitionOf(&slot);
      if (definition && flow.isBoundOnce(slot)) {
        place.isNamed |= !slot.name.empty();
        array = definition;
        continue;
      }
      if (place.isNamed && !flow.isBoundOnce(slot))
        return std::nullopt;
      place.base = {array->kind, slot.index};
      place.array = array;
      return place;
    }
    case typed::ExprKind::Captured:
      place.base = {array->kind, array->as<typed::Captured>().id};
      place.array = array;
      return place;
    case typed::ExprKind::Allocation:
      place.base = {array->kind, array->as<typed::Allocation>().id};
      place.array = array;
      return place;
    case typed::ExprKind::HeapArray:
      place.base = {array->kind, array->as<typed::HeapArray>().id};
      place.array = array;
      return place;
    case typed::ExprKind::Const:
    case typed::ExprKind::Operation:
    case typed::ExprKind::Conditional:
    case typed::ExprKind::Call:
    case typed::ExprKind::Load:
    case typed::ExprKind::Attribute:
    case typed::ExprKind::Tuple:
    case typed::ExprKind::Item:
    case typed::ExprKind::ItemAt:
    case typed::ExprKind::Atomic:
    case typed::ExprKind::WarpOp:
      return std::nullopt;
    }
  }
}

/// Of bounds: the same constant, or the same variable. Through a named view the variable may have had another value
/// when the view was made (isNamed), unless it is bound once.
bool Aliasing::isSameNumber(const typed::Expr *left, const typed::Expr *right, bool isNamed) const {
  if (!left || !right)
    return left == right;
  if (left->kind == typed::ExprKind::Slot && right->kind == typed::ExprKind::Slot) {
    const typed::Slot *slot = left->as<typed::SlotRead>().slot;
    return slot == right->as<typed::SlotRead>().slot && (!isNamed || flow.isBoundOnce(*slot));
  }
  const std::optional<int64_t> number = constantInteger(*left);
  return number && number == constantInteger(*right);
}

/// Equal by what they are made of: parts that happen to be equal at run time count as different.
bool Aliasing::isSameView(const typed::View &left, const typed::View &right, bool isNamed) const {
  if (&left == &right)
    return true;
  if (left.view != right.view || left.field != right.field || left.type->ndim() != right.type->ndim())
    return false;
  if (left.view != typed::ViewKind::Axes && left.axes.size() != right.axes.size())
    return false;
  for (size_t i = 0; i < std::max(left.axes.size(), right.axes.size()); ++i) {
    const Axis one = axisOf(&left, i), other = axisOf(&right, i);
    if (one.kind != other.kind || !isSameNumber(one.start, other.start, isNamed) ||
        !isSameNumber(one.stop, other.stop, isNamed) || !isSameNumber(one.step, other.step, isNamed))
      return false;
  }
  return true;
}

namespace {

/// Axes of a value that has fewer than the target are the target's last.
/// As broadcasting aligns them.
Ties tiesTo(const typed::Expr &target, const typed::Expr &value) {
  const unsigned own = axesOf(*value.type), all = target.type->ndim();
  Ties ties;
  for (unsigned axis = all - std::min(own, all); axis < all; ++axis)
    ties.push_back(int(axis));
  return ties;
}

/// Of the axes of an operand at `position` of an array expression with those ties.
/// `reach` is what the library declares of a computed array: "own", each element reads the operand's at its own
/// position; "anywhere"; "chosen", those that indices name; others read along one axis, as a sum over it does. A
/// product reads a row of the first and a column of the second operand for each element.
Ties tiesOfOperand(const Type &value, const Ties &own, const Type &operand, bool isFirst) {
  const size_t count = axesOf(operand);
  const Ties nowhere(count, anywhere);
  if (isProduct(value)) {
    Ties ties = nowhere;
    if (count == 2)
      ties[isFirst ? 0 : 1] = isFirst ? own.front() : own.back();
    return ties;
  }
  if (!isComputed(value))
    return Ties(own.end() - ptrdiff_t(count), own.end());
  const std::string_view reach = reachOf(value);
  if (reach == "own" || (reach == "chosen" && !isFirst))
    return own;
  if (reach == "anywhere" || reach == "chosen")
    return nowhere;
  // Of one axis the function of elements sees all, or those at indices, whose axes are in its place.
  const auto parts = value.items();
  const auto place = ptrdiff_t(parts[2]->items().size());
  const ptrdiff_t indices = reach == "chosen_lines" ? ptrdiff_t(own.size() - axesOf(*parts[1])) + 1 : 0;
  if (!isFirst)
    return Ties(own.begin() + place, own.begin() + place + indices);
  Ties ties(own.begin(), own.begin() + place);
  ties.push_back(anywhere);
  ties.insert(ties.end(), own.begin() + place + indices, own.end());
  return ties;
}

} // namespace

/// What the elements of the value read.
/// Through operators, functions of the library and variables, down to arrays.
void Aliasing::appendReads(const typed::Expr &value, const Reading &how, bool isChosen,
                           std::vector<ArrayRead> &reads) const {
  if (value.type->isArray()) {
    reads.push_back({&value, how, isChosen});
    return;
  }
  if (!value.type->is(Series::Elementwise))
    return;
  const bool choses = isComputed(*value.type) && reachOf(*value.type).starts_with("chosen");
  auto append = [&](const typed::Expr &operand, bool isFirst) {
    if (axesOf(*operand.type) > 0)
      appendReads(operand, {tiesOfOperand(*value.type, how.ties, *operand.type, isFirst)},
                  isChosen || (choses && isFirst), reads);
  };
  switch (value.kind) {
  case typed::ExprKind::Tuple: {
    const auto items = value.as<typed::Tuple>().items;
    const size_t first = isComputed(*value.type) ? 1 : 0; // after the shape
    for (size_t i = first; i < items.size(); ++i)
      append(*items[i], i == first);
    return;
  }
  case typed::ExprKind::Call: { // of the library
    const auto arguments = value.as<typed::Call>().arguments;
    for (size_t i = 0; i < arguments.size(); ++i)
      append(*arguments[i], i == 0);
    return;
  }
  case typed::ExprKind::Block:
    return appendReads(*value.as<typed::Block>().value, how, isChosen, reads);
  case typed::ExprKind::Slot:
    if (const typed::Expr *made = tree.definitionOf(value.as<typed::SlotRead>().slot))
      appendReads(*made, how, isChosen, reads);
    return;
  case typed::ExprKind::Const:
  case typed::ExprKind::Operation:
  case typed::ExprKind::Conditional:
  case typed::ExprKind::Load:
  case typed::ExprKind::View:
  case typed::ExprKind::Attribute:
  case typed::ExprKind::Item:
  case typed::ExprKind::ItemAt:
  case typed::ExprKind::Allocation:
  case typed::ExprKind::HeapArray:
  case typed::ExprKind::Captured:
  case typed::ExprKind::Atomic:
  case typed::ExprKind::WarpOp:
    return;
  }
}

/// How many views of the same memory are the same, from inside out.
/// Common views are left out, so that `row = a[i]; row[1:] = row[:-1]` is a question about the row alone.
size_t Aliasing::sameViews(const Place &left, const Place &right) const {
  const bool isNamed = left.isNamed || right.isNamed;
  size_t same = 0;
  while (same < std::min(left.views.size(), right.views.size()) &&
         isSameView(*left.views[same], *right.views[same], isNamed))
    ++same;
  return same;
}

/// Another base is other memory: no overlap. What views select cannot always be compared; then either order may be
/// wrong for some extents, without being known to be.
std::optional<Overlap> Aliasing::overlapOfRead(const Place &target, const ArrayRead &read) const {
  const std::optional<Place> from = placeOf(read.array);
  if (!from)
    return std::nullopt;
  if (from->base != target.base)
    return Overlap();
  std::optional<Overlap> overlap = overlapBetween(target, *from, read.how);
  // Of what is chosen at run time one element may be as good as none, but for targets that are all of it.
  const bool isAllOfIt = sameViews(target, *from) == target.views.size();
  if (overlap && read.isChosen)
    overlap->isCertain &= isAllOfIt;
  const bool isElsewhere = std::find(read.how.ties.begin(), read.how.ties.end(), anywhere) != read.how.ties.end();
  if (!overlap && isElsewhere)
    return isAllOfIt ? Overlap{true, true, true, true, true} : std::optional<Overlap>();
  return overlap ? overlap : Overlap{.isEverLateUp = true, .isEverLateDown = true};
}

/// In which order the elements must be assigned, so that none is read after it was written. An error where it is known
/// that no order is right.
/// What is certain decides first, then what holds for extents that are not small, then what any extents can bring
/// about. Ascending if nothing speaks against it.
Aliasing::Order Aliasing::orderOf(const typed::Expr &target, const typed::Expr &value, SourceSpan span) const {
  Order order;
  const std::optional<Place> to = placeOf(&target);
  std::vector<ArrayRead> reads;
  appendReads(value, {tiesTo(target, value), value.type->isArray()}, false, reads);
  Overlap any, certain;
  std::vector<std::pair<const typed::Expr *, Overlap>> found;
  for (const ArrayRead &read : reads) {
    const std::optional<Overlap> overlap = to ? overlapOfRead(*to, read) : std::nullopt;
    if (!overlap)
      continue;
    any.add(*overlap);
    if (overlap->isCertain)
      certain.add(*overlap);
    if (std::find(read.how.ties.begin(), read.how.ties.end(), anywhere) == read.how.ties.end())
      found.emplace_back(read.array, *overlap);
  }
  if (certain.isLateUp && certain.isLateDown)
    tree.failUnsupported(span, "the value reads elements of the array that this assignment changes before",
                         "assign the value to another array first, and then that one: t = np.empty(...); t[:] = ...; "
                         "a[:] = t");
  for (const auto &[isUp, isDown] : {std::pair(certain.isLateUp, certain.isLateDown),
                                     {any.isLateUp, any.isLateDown},
                                     {any.isEverLateUp, any.isEverLateDown}})
    if (isUp != isDown) {
      order.isDescending = isUp;
      break;
    }
  for (const auto &[array, overlap] : found)
    if (overlap.isSampled || (order.isDescending ? overlap.isEverLateDown : overlap.isEverLateUp))
      order.unsure.push_back(array);
  return order;
}

/// In kernels compiled with debug: an error where orderOf() could not tell whether the order is right.
/// A function of the library decides it at run time (operator.reads_late).
void Aliasing::checkOrder(const typed::Expr &view, const typed::Expr &source, SourceSpan span) {
  const Order order = orderOf(view, source, span);
  for (const typed::Expr *array : order.unsure) {
    if (!typed::isSimple(*array))
      continue;
    typed::Expr *isLate = whole.applied("operator.reads_late",
                                        {tree.clone(&view), tree.clone(array), tree.boolean(order.isDescending, span),
                                         tree.boolean(source.type->isArray(), span)},
                                        span);
    tree.emit(tree.statement<typed::Assert>(
        typed::StmtKind::Assert, span, tree.test(Operation::Not, {isLate}, span), std::string_view("ValueError"),
        tree.raisedWith(
            "the value reads elements of the array that this assignment has changed before: assign the value to "
            "another array first",
            span)));
  }
}

/// In any order, a function may read what is a view of `into`, or the other way round, only where no element is common;
/// of two views of one array that is known at run time only.
/// `np.cumsum(a, out=a)` is right, as it reads each element before it stores there; `np.cumsum(a[:-1], out=a[1:])` is
/// not.
void Aliasing::checkInto(const StoringCall &call, const typed::Expr &into, const typed::Expr &operand) const {
  const std::optional<Place> to = placeOf(&into);
  std::vector<ArrayRead> reads;
  if (to)
    appendReads(operand,
                {call.readsInOrder ? tiesTo(into, operand) : Ties(axesOf(*operand.type), anywhere), call.readsInOrder},
                false, reads);
  for (const ArrayRead &read : reads) {
    const std::optional<Overlap> overlap = overlapOfRead(*to, read);
    const bool isWrong =
        overlap && overlap->isCertain && (overlap->isLateUp || (!call.readsInOrder && overlap->isLateDown));
    if (isWrong)
      tree.failUnsupported(
          into.span.isKnown() ? into.span : call.span,
          quoted(call.into) + " of " + std::string(call.function) + " has memory of " + quoted(call.operand) +
              ", which is read after elements of the result are stored",
          "store the result into another array first, and then assign that: t = np.empty(...); ...; a[:] = t");
  }
}

} // namespace treadle
