// Assignments to views whose value reads the same memory: which order is right, and what is refused.
#include "infer/inference.h"

#include <algorithm>

namespace treadle {

using Axis = typed::ViewAxis;

namespace {

bool isReversed(const Axis &axis) {
  return axis.kind == Axis::Kind::Slice && !axis.start && !axis.stop && axis.step &&
         axis.step->kind == typed::ExprKind::Const && axis.step->as<typed::Const>().integer < 0;
}

bool isAll(const typed::View &view) {
  if (view.view == typed::ViewKind::Transpose)
    return view.type->ndim() < 2;
  return view.view == typed::ViewKind::Axes && std::all_of(view.axes.begin(), view.axes.end(), [](const Axis &axis) {
           return axis.kind == Axis::Kind::Whole;
         });
}

bool hasKind(const typed::View &view, Axis::Kind kind) {
  return std::any_of(view.axes.begin(), view.axes.end(), [&](const Axis &axis) { return axis.kind == kind; });
}

Axis axisOf(const typed::View *view, size_t i) {
  return view && i < view->axes.size() ? view->axes[i] : Axis{Axis::Kind::Whole, nullptr, nullptr, nullptr};
}

} // namespace

/// Of an array expression, not of its operands.
Inference::Reach Inference::ownReach(const Type &type) {
  if (isProduct(type))
    return Reach::All;
  if (!isComputed(type) || (isFlat(type) && axesOf(*type.items()[1]) == 1))
    return Reach::Same;
  const std::string_view name = type.text().substr(type.text().find('.') + 1);
  if (name == "converted" || name == "copied" || name == "zero" || name == "imag")
    return Reach::Same;
  return name.starts_with("taken") ? Reach::Chosen : Reach::All;
}

Inference::Reach Inference::reachOf(const Type &type) {
  if (!type.is(Series::Elementwise))
    return Reach::Same;
  Reach reach = ownReach(type);
  for (const Type *operand : type.items())
    reach = std::max(reach, reachOf(*operand));
  return reach;
}

/// Memory that is known while compiling: a variable, a captured or a new array, and the views of it, from inside out.
struct Inference::Place {
  std::pair<typed::ExprKind, uint64_t> base;
  std::vector<const typed::View *> views;
  bool isNamed = false; ///< through a variable, which may have been bound some time before
};

/// The variable has one value whenever it is read between two evaluations of its definition.
bool Inference::isBoundOnce(const typed::Slot &slot) const {
  size_t count = 0;
  for (const FlowNode &node : flow.nodes)
    if (node.slot == &slot)
      count += node.kind == FlowNode::Kind::Join ? 2 : 1;
  return count <= 1;
}

std::optional<Inference::Place> Inference::placeOf(const typed::Expr *array) const {
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
      const auto definition = definitions.find(&slot);
      if (definition != definitions.end() && isBoundOnce(slot)) {
        place.isNamed |= !slot.name.empty();
        array = definition->second;
        continue;
      }
      if (place.isNamed && !isBoundOnce(slot))
        return std::nullopt;
      place.base = {array->kind, slot.index};
      return place;
    }
    case typed::ExprKind::Captured:
      place.base = {array->kind, array->as<typed::Captured>().id};
      return place;
    case typed::ExprKind::Allocation:
      place.base = {array->kind, array->as<typed::Allocation>().id};
      return place;
    case typed::ExprKind::HeapArray:
      place.base = {array->kind, array->as<typed::HeapArray>().id};
      return place;
    default:
      return std::nullopt;
    }
  }
}

bool Inference::isSameNumber(const typed::Expr *left, const typed::Expr *right, bool isNamed) const {
  if (!left || !right)
    return left == right;
  if (left->kind == typed::ExprKind::Slot && right->kind == typed::ExprKind::Slot) {
    const typed::Slot *slot = left->as<typed::SlotRead>().slot;
    return slot == right->as<typed::SlotRead>().slot && (!isNamed || isBoundOnce(*slot));
  }
  const std::optional<int64_t> number = constantInteger(*left);
  return number && number == constantInteger(*right);
}

bool Inference::isSameView(const typed::View &left, const typed::View &right, bool isNamed) const {
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

/// How far the target lies behind what is read along one axis; nullopt if they never meet, or that is not known.
std::optional<int64_t> Inference::shiftAlong(const Axis &target, const Axis &read, bool isNamed) const {
  if ((target.kind == Axis::Kind::Index) != (read.kind == Axis::Kind::Index))
    return std::nullopt;
  if (target.kind == Axis::Kind::Index)
    return isSameNumber(target.start, read.start, isNamed) ? std::optional<int64_t>(0) : std::nullopt;
  const std::optional<int64_t> step = target.step ? constantInteger(*target.step) : 1;
  if (!step || *step <= 0 || !isSameNumber(target.step, read.step, isNamed))
    return std::nullopt;
  if (isSameNumber(target.start, read.start, isNamed))
    return 0;
  const std::optional<int64_t> to = target.start ? constantInteger(*target.start) : 0;
  const std::optional<int64_t> from = read.start ? constantInteger(*read.start) : 0;
  if (!to || !from || (*to < 0) != (*from < 0) || (*to - *from) % *step != 0)
    return std::nullopt;
  const typed::Expr *stop = *to > *from ? read.stop : target.stop;
  const std::optional<int64_t> end = stop ? constantInteger(*stop) : std::nullopt;
  const int64_t later = std::max(*to, *from);
  if (end && (*end < 0) == (later < 0) && *end <= later)
    return std::nullopt;
  return *to - *from;
}

/// The first shift that is not zero decides whether elements are read after they were written in ascending order: 1;
/// in descending order: -1; in none: 0.
int Inference::directionOf(const typed::View *target, const typed::View *read, bool isNamed) const {
  const typed::View &any = target ? *target : *read;
  int direction = 0;
  for (size_t axis = 0; axis < any.array->type->ndim(); ++axis) {
    const std::optional<int64_t> shift = shiftAlong(axisOf(target, axis), axisOf(read, axis), isNamed);
    if (!shift)
      return 0;
    if (direction == 0 && *shift != 0)
      direction = *shift > 0 ? 1 : -1;
  }
  return direction;
}

/// What the elements of the value read.
void Inference::appendReads(const typed::Expr &value, Reach reach, std::vector<ArrayRead> &reads) const {
  if (value.type->isArray()) {
    reads.push_back({&value, reach});
    return;
  }
  if (!value.type->is(Series::Elementwise))
    return;
  // Indices are read at their place, if the result has their axes.
  auto reachInto = [&](const typed::Expr &operand, Reach own) {
    const bool isIndices = own == Reach::Chosen && operand.type->isArray() && operand.type->element()->isInteger() &&
                           axesOf(*operand.type) == axesOf(*value.type) && value.type->items().back() == operand.type;
    return std::max(reach, isIndices ? Reach::Same : own);
  };
  switch (value.kind) {
  case typed::ExprKind::Tuple:
    for (const typed::Expr *operand : value.as<typed::Tuple>().items)
      appendReads(*operand, reachInto(*operand, ownReach(*value.type)), reads);
    return;
  case typed::ExprKind::Call: { // of the library
    const auto arguments = value.as<typed::Call>().arguments;
    for (size_t i = 0; i < arguments.size(); ++i)
      appendReads(*arguments[i],
                  i == 0 ? std::max(reach, reachOf(*value.type)) : reachInto(*arguments[i], reachOf(*value.type)),
                  reads);
    return;
  }
  case typed::ExprKind::Block:
    return appendReads(*value.as<typed::Block>().value, reach, reads);
  case typed::ExprKind::Slot:
    if (const auto made = definitions.find(value.as<typed::SlotRead>().slot); made != definitions.end())
      appendReads(*made->second, reach, reads);
    return;
  default:
    return;
  }
}

/// A slice that may have one element or none, as far as its bounds say.
bool Inference::isShort(const typed::ViewAxis &axis) const {
  if (axis.kind != Axis::Kind::Slice || !axis.stop)
    return false;
  const std::optional<int64_t> start = axis.start ? constantInteger(*axis.start) : 0;
  const std::optional<int64_t> stop = constantInteger(*axis.stop);
  return !start || !stop || *stop - *start <= 1;
}

/// How many views of the same memory are the same, from inside out.
size_t Inference::sameViews(const Place &left, const Place &right) const {
  const bool isNamed = left.isNamed || right.isNamed;
  size_t same = 0;
  while (same < std::min(left.views.size(), right.views.size()) &&
         isSameView(*left.views[same], *right.views[same], isNamed))
    ++same;
  return same;
}

/// As directionOf(); nullopt if no order is right.
std::optional<int> Inference::directionBetween(const Place &target, const Place &read, Reach reach) const {
  const bool isNamed = target.isNamed || read.isNamed;
  const size_t same = sameViews(target, read);
  const size_t toCount = target.views.size() - same, fromCount = read.views.size() - same;
  const typed::View *to = toCount ? target.views[same] : nullptr, *from = fromCount ? read.views[same] : nullptr;
  if (reach != Reach::Same) {
    // An index takes an axis away, along which no element of the value need read what was written.
    const bool isCut = reach == Reach::All && toCount == 1 && fromCount == 0 && to->view == typed::ViewKind::Axes &&
                       !hasKind(*to, Axis::Kind::Index) && !hasKind(*to, Axis::Kind::NewAxis) &&
                       std::none_of(to->axes.begin(), to->axes.end(), [&](const Axis &axis) { return isShort(axis); });
    return toCount == 0 || isCut ? std::nullopt : std::optional(0);
  }
  if (toCount > 1 || fromCount > 1 || toCount + fromCount == 0)
    return 0;
  auto isKind = [](const typed::View *view, typed::ViewKind kind) { return !view || view->view == kind; };
  if (isKind(to, typed::ViewKind::Transpose) && isKind(from, typed::ViewKind::Transpose))
    return std::nullopt;
  if (!isKind(to, typed::ViewKind::Axes) || !isKind(from, typed::ViewKind::Axes))
    return 0;
  for (const typed::View *view : {to, from})
    if (view && hasKind(*view, Axis::Kind::NewAxis))
      return 0;
  if (!to || !from) {
    const typed::View &one = to ? *to : *from;
    if (std::any_of(one.axes.begin(), one.axes.end(), isReversed) &&
        std::all_of(one.axes.begin(), one.axes.end(),
                    [](const Axis &axis) { return isReversed(axis) || axis.kind == Axis::Kind::Whole; }))
      return std::nullopt;
  }
  return directionOf(to, from, isNamed);
}

/// Whether the elements must be assigned in descending order, so that none is read after it was written. An error
/// where it is known that no order is right.
bool Inference::isDescending(const typed::Expr &target, const typed::Expr &value, SourceSpan span) const {
  const std::optional<Place> to = placeOf(&target);
  std::vector<ArrayRead> reads;
  if (to)
    appendReads(value, Reach::Same, reads);
  bool isUp = false, isDown = false, isWrong = false;
  for (const ArrayRead &read : reads) {
    const std::optional<Place> from = placeOf(read.array);
    if (!from || from->base != to->base)
      continue;
    const std::optional<int> direction = directionBetween(*to, *from, read.reach);
    isWrong |= !direction;
    isDown |= direction == 1;
    isUp |= direction == -1;
  }
  if (isWrong || (isUp && isDown))
    failUnsupported(span, "the value reads elements of the array that this assignment changes before",
                    "assign the value to another array first, and then that one: t = np.empty(...); t[:] = ...; "
                    "a[:] = t");
  return isDown;
}

/// In any order, a function may read what is a view of `into`, or the other way round, only where no element is common;
/// of two views of one array that is known at run time only.
void Inference::checkInto(const StoringCall &call, const typed::Expr &into, const typed::Expr &operand) const {
  const std::optional<Place> to = placeOf(&into);
  std::vector<ArrayRead> reads;
  if (to)
    appendReads(operand, call.readsInOrder ? Reach::Same : Reach::All, reads);
  for (const ArrayRead &read : reads) {
    const std::optional<Place> from = placeOf(read.array);
    if (!from || from->base != to->base)
      continue;
    const size_t same = sameViews(*to, *from);
    const std::optional<int> direction = directionBetween(*to, *from, read.reach);
    const bool isWrong = !direction || (call.readsInOrder && *direction == 1) ||
                         (!call.readsInOrder && (same == to->views.size() || same == from->views.size()));
    if (isWrong)
      failUnsupported(
          into.span.isKnown() ? into.span : call.span,
          quoted(call.into) + " of " + std::string(call.function) + " has memory of " + quoted(call.operand) +
              ", which is read after elements of the result are stored",
          "store the result into another array first, and then assign that: t = np.empty(...); ...; a[:] = t");
  }
}

} // namespace treadle
