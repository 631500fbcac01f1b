// Views: slices, `...`, new axes, rows.
// A view has the array's memory, other extents and strides. One node has an entry for each part of the index; axes that
// are not mentioned stay whole at the end.
#include "infer/expressions/subscripts.h"

namespace treadle {

using syntax::ExprKind;
using Axis = typed::ViewAxis;

/// An index that keeps an axis or adds one: a slice, `...` or None.
/// Names are evaluated for it, as `np.newaxis` and a variable that is None add an axis; they have no effects.
bool Subscripts::isViewIndex(const syntax::Expr &index) {
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
    const typed::Expr *value = whole.expr(index);
    return value->type->isNone() || value->type->is(TypeKind::Ellipsis);
  }
  case ExprKind::String:
  case ExprKind::Unary:
  case ExprKind::Binary:
  case ExprKind::Boolean:
  case ExprKind::Compare:
  case ExprKind::Conditional:
  case ExprKind::Call:
  case ExprKind::Subscript:
  case ExprKind::List:
  case ExprKind::Joined:
  case ExprKind::Format:
  case ExprKind::Walrus:
  case ExprKind::Starred:
  case ExprKind::Lambda:
  case ExprKind::Consteval:
  case ExprKind::Comprehension:
    return false;
  }
  return false;
}

/// nullptr: no bound, also for `a[None:n]`. Whether a bound is in range is not asked: NumPy clamps bounds.
typed::Expr *Subscripts::sliceBound(const syntax::Expr *bound) {
  if (!bound)
    return nullptr;
  typed::Expr *value = tree.unwrap(whole.expr(*bound));
  if (value->type->isNone()) {
    tree.emitValue(value, bound->span);
    return nullptr;
  }
  if (value->type->isInt())
    return value;
  tree.fail(bound->span, {.kind = CompileErrorKind::Typing,
                          .message = "the bounds and the step of a slice must be integers",
                          .found = value->type->name(),
                          .expected = "an integer",
                          .remedy = value->type->isFloat() ? "convert it: int(...)" : ""});
}

/// A step of 1 is left out, so that `a[i:j:1]` is as good as `a[i:j]`, and `a[:]` a whole axis.
Axis Subscripts::sliceAxis(const syntax::Slice &slice) {
  Axis axis{Axis::Kind::Slice, sliceBound(slice.start), sliceBound(slice.stop), sliceBound(slice.step)};
  const std::optional<int64_t> step = axis.step ? constantInteger(*axis.step) : std::optional<int64_t>(1);
  if (step == 0)
    tree.fail(slice.step->span, {.kind = CompileErrorKind::Value, .message = "the step of a slice must not be zero"});
  if (step == 1)
    axis.step = nullptr;
  const bool isWhole = !axis.start && !axis.stop && !axis.step;
  return isWhole ? Axis{Axis::Kind::Whole, nullptr, nullptr, nullptr} : axis;
}

/// The axes of the view, by the parts of the index; `...` stands for as many whole axes as are missing.
std::vector<Axis> Subscripts::viewAxes(const typed::Expr &array, const syntax::Expr &index) {
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
    typed::Expr *value = whole.expr(*item);
    if (value->type->is(TypeKind::Ellipsis)) {
      if (ellipsis)
        tree.failTyping(item->span, "an index can have one ... only");
      ellipsis = axes.size();
    } else if (value->type->isNone()) {
      axes.push_back({Axis::Kind::NewAxis, nullptr, nullptr, nullptr});
    } else {
      axes.push_back({Axis::Kind::Index, access.checkedIndex(value, item->span), nullptr, nullptr});
      ++used;
    }
  }
  access.checkIndexCount(array, used, index.span);
  if (ellipsis)
    axes.insert(axes.begin() + ptrdiff_t(*ellipsis), array.type->ndim() - used,
                Axis{Axis::Kind::Whole, nullptr, nullptr, nullptr});
  return axes;
}

namespace {

/// A view keeps C order if it is cut by leading indices and one slice without a step only.
/// `a[i, j:k, :]` of an array in C order has no gaps. Fortran order is not followed: such a view has any layout.
bool staysContiguous(const Type *array, const std::vector<Axis> &axes) {
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

} // namespace

/// Slices keep an axis, indices drop one, None adds one.
typed::Expr *Subscripts::sliceView(typed::Expr *array, const syntax::Expr &index, SourceSpan span) {
  const std::vector<Axis> axes = viewAxes(*array, index);
  unsigned dimensions = array->type->ndim();
  for (const Axis &axis : axes)
    dimensions += (axis.kind == Axis::Kind::NewAxis) - (axis.kind == Axis::Kind::Index);
  if (dimensions > 8)
    tree.failTyping(span, "an array has at most 8 dimensions");
  const Layout layout = staysContiguous(array->type, axes) ? Layout::C : Layout::Any;
  typed::Expr *view = tree.view(types::viewOf(array->type, dimensions, layout), typed::ViewKind::Axes, array, axes);
  view->span = span;
  return view;
}

} // namespace treadle
