// The bounds of views as linear sums of unknowns, and chains of views as paths per axis.
// Bounds are compared as sums of constants and unknowns: `a[i + 1:]` and `a[i:]` differ by 1 whatever i is. Equal
// expressions are one unknown, recognised by a text; variables that are bound once are replaced by what they are bound
// to.
#include "infer/aliasing/aliasing.h"

#include <algorithm>

namespace treadle {

using Axis = typed::ViewAxis;

/// Analyses the views of one target and of what is read, which may share unknowns.
class Aliasing::Bounds {
public:
  /// `isNamed`: the views are variables, which may have been bound earlier.
  Bounds(const Aliasing &aliasing, bool isNamed) : in(aliasing), isNamed(isNamed) {}

  /// nullopt if a view does not consist of axes of its operand.
  std::optional<ViewShape> shapeOf(std::span<const typed::View *const> views, const typed::Expr &array);
  uint32_t unknowns() const { return count; }

private:
  Sum sumOf(const typed::Expr &value);
  std::optional<Sum> sumOf(const typed::Expr *value) { return value ? std::optional(sumOf(*value)) : std::nullopt; }
  Sum unknown(const typed::Expr &value);
  /// The definition of a variable that is bound once, if it has the same value wherever it is evaluated; else nullptr.
  const typed::Expr *definitionOf(const typed::Expr &value);
  std::string textOf(const typed::Expr &value);
  std::string textOfSlot(const typed::Expr &value);
  void cut(ViewShape &shape, std::span<const Axis> axes);

  const Aliasing &in;
  bool isNamed; ///< also within a variable's definition
  uint32_t count = 0;
  std::map<std::string, uint32_t> numbers;                     ///< of unknowns, keyed by their text
  std::unordered_map<const typed::Slot *, std::string> values; ///< of variables that are bound once: their text, or ""
};

/// Remembered for each variable, as definitions may share others many times.
const typed::Expr *Aliasing::Bounds::definitionOf(const typed::Expr &value) {
  if (value.kind != typed::ExprKind::Slot)
    return nullptr;
  const typed::Slot &slot = *value.as<typed::SlotRead>().slot;
  const typed::Expr *found = in.tree.definitionOf(&slot);
  if (!found || !in.flow.isBoundOnce(slot) || !found->type->isInteger())
    return nullptr;
  auto known = values.find(&slot);
  if (known == values.end()) {
    const Scoped inside(isNamed, isNamed || !slot.name.empty());
    known = values.emplace(&slot, textOf(*found)).first;
  }
  return known->second.empty() ? nullptr : found;
}

/// A variable that is bound several times has one value for two bounds of one statement, but not for a view from
/// before.
std::string Aliasing::Bounds::textOfSlot(const typed::Expr &value) {
  const typed::Slot &slot = *value.as<typed::SlotRead>().slot;
  if (definitionOf(value))
    return values.at(&slot);
  return !isNamed || in.flow.isBoundOnce(slot) ? "slot" + std::to_string(slot.index) : "";
}

/// A text that is equal only for expressions with equal values; "" if there is none.
/// Calls and loads have none: two may give different values.
std::string Aliasing::Bounds::textOf(const typed::Expr &value) {
  using typed::ExprKind;
  switch (value.kind) {
  case ExprKind::Const:
    return value.type->isInt() ? std::to_string(value.as<typed::Const>().integer) : "";
  case ExprKind::Slot:
    return textOfSlot(value);
  case ExprKind::Attribute: {
    const auto &attribute = value.as<typed::Attribute>();
    const std::string array = attribute.array->kind == ExprKind::Slot ? textOf(*attribute.array) : "";
    return array.empty()
               ? ""
               : array + "." + std::to_string(int(attribute.attribute)) + "." + std::to_string(attribute.axis);
  }
  case ExprKind::Item: {
    const std::string tuple = textOf(*value.as<typed::Item>().tuple);
    return tuple.empty() ? "" : tuple + "[" + std::to_string(value.as<typed::Item>().index) + "]";
  }
  case ExprKind::Operation: {
    std::string text = value.type->name() + std::to_string(int(value.as<typed::OperationExpr>().op)) + "(";
    for (const typed::Expr *operand : value.as<typed::OperationExpr>().operands) {
      const std::string one = textOf(*operand);
      if (one.empty())
        return "";
      text += one + ",";
    }
    return text + ")";
  }
  case ExprKind::Conditional:
  case ExprKind::Call:
  case ExprKind::Load:
  case ExprKind::View:
  case ExprKind::Tuple:
  case ExprKind::ItemAt:
  case ExprKind::Block:
  case ExprKind::Allocation:
  case ExprKind::HeapArray:
  case ExprKind::Captured:
  case ExprKind::Atomic:
  case ExprKind::WarpOp:
    return "";
  }
  return "";
}

/// Without a text each is an unknown of its own.
Sum Aliasing::Bounds::unknown(const typed::Expr &value) {
  const std::string text = textOf(value);
  const uint32_t number = text.empty() ? count : numbers.try_emplace(text, count).first->second;
  count = std::max(count, number + 1);
  return {0, {{number, 1}}};
}

/// Sums and differences are taken apart, and conversions to as many bits or more, which are taken to change no index.
Sum Aliasing::Bounds::sumOf(const typed::Expr &value) {
  if (const std::optional<int64_t> constant = constantInteger(value))
    return {*constant, {}};
  if (value.kind == typed::ExprKind::Block)
    return sumOf(*value.as<typed::Block>().value);
  if (const typed::Expr *definition = definitionOf(value)) {
    const Scoped inside(isNamed, isNamed || !value.as<typed::SlotRead>().slot->name.empty());
    return sumOf(*definition);
  }
  if (value.kind != typed::ExprKind::Operation || !value.type->isInteger())
    return unknown(value);
  const auto &operation = value.as<typed::OperationExpr>();
  if (operation.op == Operation::Convert && operation.operands[0]->type->isInteger() &&
      operation.operands[0]->type->bits() <= value.type->bits())
    return sumOf(*operation.operands[0]);
  if (operation.op != Operation::Add && operation.op != Operation::Sub)
    return unknown(value);
  return sumOf(*operation.operands[0]).plus(sumOf(*operation.operands[1]), operation.op == Operation::Add ? 1 : -1);
}

/// Applies the axes of one more view.
/// Indices remove axes, slices cut them further, None adds one that has no path in the array.
void Aliasing::Bounds::cut(ViewShape &shape, std::span<const Axis> axes) {
  std::vector<int> left;
  size_t next = 0;
  for (const Axis &axis : axes) {
    if (axis.kind == Axis::Kind::NewAxis) {
      left.push_back(ViewShape::newAxis);
      continue;
    }
    const int own = shape.axes[next++];
    if (own == ViewShape::newAxis) {
      if (axis.kind != Axis::Kind::Index)
        left.push_back(own);
      continue;
    }
    AxisPath &path = shape.paths[size_t(own)];
    if (axis.kind == Axis::Kind::Index) {
      path.index = sumOf(*axis.start);
      continue;
    }
    if (axis.kind == Axis::Kind::Slice)
      path.slices.push_back({sumOf(axis.start), sumOf(axis.stop), axis.step ? sumOf(*axis.step) : Sum{1, {}}});
    left.push_back(own);
  }
  left.insert(left.end(), shape.axes.begin() + ptrdiff_t(next), shape.axes.end());
  shape.axes = std::move(left);
}

/// A chain of views, innermost first. Reshaped views and fields mix axes or elements: nullopt.
std::optional<ViewShape> Aliasing::Bounds::shapeOf(std::span<const typed::View *const> views,
                                                   const typed::Expr &array) {
  ViewShape shape;
  shape.paths.resize(array.type->ndim());
  const Extents extents = in.extentsBelow(array);
  for (size_t axis = 0; axis < shape.paths.size(); ++axis) {
    shape.axes.push_back(int(axis));
    if (extents)
      shape.paths[axis].extent = (*extents)[axis];
  }
  for (const typed::View *view : views) {
    if (view->view == typed::ViewKind::Axes) {
      cut(shape, view->axes);
      continue;
    }
    if (view->view != typed::ViewKind::Transpose)
      return std::nullopt;
    const std::vector<int> before = shape.axes;
    for (size_t axis = 0; axis < before.size(); ++axis)
      shape.axes[axis] = before[view->axes.empty() ? before.size() - 1 - axis
                                                   : size_t(view->axes[axis].start->as<typed::Const>().integer)];
  }
  return shape;
}

/// For an array with constant extents: new, captured or reshaped.
/// Known extents need not be sampled. Unlike ConstantExtents::of(), this looks at values that were built, not at
/// syntax.
Extents Aliasing::extentsBelow(const typed::Expr &array) const {
  switch (array.kind) {
  case typed::ExprKind::Allocation: {
    const auto shape = array.as<typed::Allocation>().shape;
    const bool isDynamic = shape.size() == 1 && shape[0] == 0;
    return isDynamic ? Extents() : std::vector<int64_t>(shape.begin(), shape.end());
  }
  case typed::ExprKind::Captured:
    return std::vector<int64_t>(out.captured[array.as<typed::Captured>().id].shape);
  case typed::ExprKind::Block:
    return extentsBelow(*array.as<typed::Block>().value);
  case typed::ExprKind::Slot: {
    const typed::Slot &slot = *array.as<typed::SlotRead>().slot;
    const typed::Expr *value = tree.definitionOf(&slot);
    return value && flow.isBoundOnce(slot) ? extentsBelow(*value) : std::nullopt;
  }
  case typed::ExprKind::View: {
    const auto &view = array.as<typed::View>();
    if (isAll(view))
      return extentsBelow(*view.array);
    std::vector<int64_t> extents;
    for (const Axis &axis : view.axes)
      if (const auto extent = view.view == typed::ViewKind::Reshape ? constantInteger(*axis.start) : std::nullopt)
        extents.push_back(*extent);
    return extents.size() == array.type->ndim() ? Extents(extents) : std::nullopt;
  }
  case typed::ExprKind::Const:
  case typed::ExprKind::Operation:
  case typed::ExprKind::Conditional:
  case typed::ExprKind::Call:
  case typed::ExprKind::Load:
  case typed::ExprKind::Attribute:
  case typed::ExprKind::Tuple:
  case typed::ExprKind::Item:
  case typed::ExprKind::ItemAt:
  case typed::ExprKind::HeapArray:
  case typed::ExprKind::Atomic:
  case typed::ExprKind::WarpOp:
    return std::nullopt;
  }
  return std::nullopt;
}

/// nullopt if views do more than select elements of each axis, or too many bounds are unknown.
/// Each unknown multiplies the number of cases to try.
std::optional<Overlap> Aliasing::overlapBetween(const Place &target, const Place &read, const Reading &how) const {
  constexpr uint32_t mostUnknowns = 3;
  const size_t same = sameViews(target, read);
  const typed::Expr &array = same ? *target.views[same - 1] : *target.array;
  Bounds bounds(*this, target.isNamed || read.isNamed);
  const auto to = bounds.shapeOf(std::span(target.views).subspan(same), array);
  const auto from = bounds.shapeOf(std::span(read.views).subspan(same), array);
  if (!to || !from || bounds.unknowns() > mostUnknowns || from->axes.size() != how.ties.size())
    return std::nullopt;
  return overlapOf(*to, *from, how, bounds.unknowns());
}

} // namespace treadle
