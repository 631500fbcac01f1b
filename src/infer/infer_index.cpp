// Indexing: elements, row views, items of tuples.
#include "infer/expression_rules.h"

#include <algorithm>

namespace treadle {

using syntax::ExprKind;

typed::Expr *ExpressionRules::subscript(const syntax::Subscript &expression) {
  typed::Expr *value = unwrap(expr(*expression.value));
  if (const std::optional<uint32_t> field = subscriptField(*value, *expression.index))
    return fieldOf(value, *field, expression.span);
  if (value->type->isArray())
    return elementOf(value, expression);
  if (value->type->is(Series::Range) && expression.index->kind != ExprKind::Slice)
    return rangeItem(value, checkedIndex(expr(*expression.index), expression.index->span), expression.span);
  if (value->type->is(Series::Elementwise))
    return elementwiseItem(value, expression);
  if (value->type->isPlainTuple())
    return tupleItem(value, expression);
  if (value->type->is(TypeKind::String))
    return textItem(*value->type, expression);
  if (value->type->is(Series::Text))
    return characterItem(value, expression);
  if (typed::Expr *member = memberNamed(*value, expression))
    return member;
  // As a NumPy scalar, which an array without axes gives.
  if (value->type->isNumber() && expression.index->kind == ExprKind::Tuple &&
      expression.index->as<syntax::Sequence>().items.empty())
    return value;
  fail(expression.span, {.kind = CompileErrorKind::Typing,
                         .message = "this cannot be indexed",
                         .found = value->type->name(),
                         .expected = "an array or a tuple",
                         .remedy = value->type->is(TypeKind::Function) ? "write parentheses to call a function" : ""});
}

typed::Expr *ValueRules::checkedIndex(typed::Expr *index, SourceSpan span) {
  index = unwrap(index);
  const Type *type = index->type;
  if (type->isInt())
    return index;
  if (type->is(TypeKind::Slice) || type->is(TypeKind::Ellipsis) || type->isNone())
    failUnsupported(span, "a slice in a variable cannot be an index", "write the slice into the brackets");
  if (type->isArray() || type->is(Series::Elementwise))
    failUnsupported(span, "an array cannot be an index here",
                    "index in a loop, or np.where() for a mask; to read, an array of integers may be the only index: "
                    "out[:] = a[indices]");
  fail(span, {.kind = CompileErrorKind::Typing,
              .message = "an index must be an integer",
              .found = type->name(),
              .expected = "an integer",
              .remedy = type->isFloat()  ? "convert it: int(...); a quotient of integers by // is one"
                        : type->isBool() ? "convert it: int(...)"
                                         : ""});
}

/// What an array can be indexed with to read several elements.
bool ExpressionRules::isIndexArray(const Type &type, SourceSpan span) {
  return (type.isArray() && type.ndim() > 0 && type.element()->isInt()) ||
         (type.is(Series::Elementwise) && elementTypeOf(type, span)->isInt());
}

ExpressionRules::Items ExpressionRules::indicesOf(typed::Expr *&array, const syntax::Expr &index, bool takesArray) {
  Items indices;
  if (index.kind == ExprKind::Tuple) {
    for (const syntax::Expr *item : index.as<syntax::Sequence>().items)
      indices.push_back(checkedIndex(expr(*item), item->span));
    return indices;
  }
  typed::Expr *value = expr(index);
  if (takesArray && isIndexArray(*value->type, index.span)) {
    Items both{array, value};
    settle(both);
    array = both[0];
    return {both[1]};
  }
  if (!value->type->isPlainTuple())
    return {checkedIndex(value, index.span)};
  Items both{array, value};
  settle(both);
  array = both[0];
  for (typed::Expr *item : itemsOf(both[1]))
    indices.push_back(checkedIndex(item, index.span));
  return indices;
}

void ValueRules::checkIndexCount(const typed::Expr &array, size_t count, SourceSpan span) {
  if (count <= array.type->ndim())
    return;
  fail(span, {.kind = CompileErrorKind::Typing,
              .message = "too many indices",
              .found = counted(count, "index") == "1 index" ? "1 index" : std::to_string(count) + " indices",
              .expected = "at most " + std::to_string(array.type->ndim()) + ", for " + array.type->name(),
              .remedy = {}});
}

void ValueRules::checkStorable(const typed::Expr &array, SourceSpan span) {
  if (!array.type->isArray()) {
    fail(span, {.kind = CompileErrorKind::Typing,
                .message = "elements of this cannot be assigned",
                .found = array.type->name(),
                .expected = "an array",
                .remedy = array.type->isTuple() ? "tuples never change: make a new one, or use cuda.local.array" : ""});
  }
  if (array.type->isReadOnly()) {
    fail(span, {.kind = CompileErrorKind::Typing,
                .message = "this array is read-only",
                .found = array.type->name(),
                .expected = "an array that can be written",
                .remedy = "pass a writable array; arrays captured from outside the kernel are constants"});
  }
}

/// The type of the view that `count` leading indices select.
const Type *ValueRules::rowType(const Type *array, size_t count) const {
  const unsigned left = array->ndim() - unsigned(count);
  const bool isContiguous = array->layout() == Layout::C || count == 0;
  return types::viewOf(array, left, isContiguous ? array->layout() : Layout::Any);
}

void ValueRules::mergeRowView(typed::Expr *&array, Items &indices) {
  if (array->kind != typed::ExprKind::View)
    return;
  auto &view = array->as<typed::View>();
  if (view.view != typed::ViewKind::Axes || view.axes.empty())
    return;
  Items all;
  for (const typed::ViewAxis &axis : view.axes) {
    if (axis.kind != typed::ViewAxis::Kind::Index)
      return;
    all.push_back(axis.start);
  }
  all.insert(all.end(), indices.begin(), indices.end());
  indices = std::move(all);
  array = view.array;
}

/// The element if there is an index for every axis, else a view of the remaining axes.
typed::Expr *ValueRules::rowView(typed::Expr *array, const Items &given, SourceSpan span) {
  Items indices = given;
  mergeRowView(array, indices);
  const Type *element = array->type->element();
  if (indices.size() == array->type->ndim() && element->isTimeElement())
    return timeFrom(nodes.load(ticksView(array), indices, span), element, span);
  if (indices.size() == array->type->ndim() && element->isTextElement())
    return loadText(array, indices, span);
  if (indices.size() == array->type->ndim() && !element->isRecord())
    return nodes.load(array, indices, span);
  if (indices.empty())
    return array;
  std::vector<typed::ViewAxis> axes;
  for (typed::Expr *index : indices)
    axes.push_back({typed::ViewAxis::Kind::Index, index, nullptr, nullptr});
  typed::Expr *view = nodes.view(rowType(array->type, indices.size()), typed::ViewKind::Axes, array, axes);
  view->span = span;
  return view;
}

typed::Expr *ExpressionRules::elementOf(typed::Expr *array, const syntax::Subscript &expression) {
  // A tuple as index may need a temporary.
  return inBlock(expression.span, [&]() -> typed::Expr * {
    if (isViewIndex(*expression.index))
      return sliceView(array, *expression.index, expression.span);
    typed::Expr *place = array;
    const Items indices = indicesOf(place, *expression.index, place->type->ndim() > 0);
    if (!indices.empty() && isIndexArray(*indices[0]->type, expression.span))
      return applied("computed.pick", {place, indices[0]}, expression.span);
    checkIndexCount(*place, indices.size(), expression.span);
    return indices.empty() && place->type->ndim() > 0 ? place : rowView(place, indices, expression.span);
  });
}

typed::Expr *ExpressionRules::tupleItem(typed::Expr *tuple, const syntax::Subscript &expression) {
  const SourceSpan span = expression.span;
  if (expression.index->kind == ExprKind::Slice)
    return tupleSlice(tuple, expression);
  typed::Expr *index = checkedIndex(expr(*expression.index), expression.index->span);
  const auto items = tuple->type->items();
  const int64_t count = int64_t(items.size());
  if (const std::optional<int64_t> constant = constantInteger(*index)) {
    const int64_t position = *constant < 0 ? *constant + count : *constant;
    if (position >= 0 && position < count)
      return itemOf(tuple, uint32_t(position), span);
    fail(span, {.kind = CompileErrorKind::Index,
                .message = "the index lies outside of the tuple",
                .found = std::to_string(*constant),
                .expected = count == 0 ? "nothing: the tuple is empty"
                                       : std::to_string(-count) + " to " + std::to_string(count - 1),
                .remedy = {}});
  }
  if (!tuple->type->isUniTuple()) {
    fail(span, {.kind = CompileErrorKind::Typing,
                .message = "a tuple of several types needs an index that is known while compiling",
                .found = tuple->type->name(),
                .expected = "a tuple of one type, or a literal index",
                .remedy = "loop over the tuple itself: for item in ...",
                .needsConstant = true});
  }
  if (!typed::hasStorage(items[0]))
    return after({tuple, index}, nodes.unit(items[0], span));
  return nodes.itemAt(tuple, index, span);
}

/// The positions that a slice with constant bounds takes of `count`.
std::vector<int64_t> ExpressionRules::constantPositions(const syntax::Slice &slice, int64_t count, SourceSpan span) {
  auto bound = [&](const syntax::Expr *part, int64_t absent) {
    if (!part)
      return absent;
    const std::optional<int64_t> value = constantInteger(*expr(*part));
    if (!value)
      fail(part->span, {.kind = CompileErrorKind::Constant,
                        .message = "the bounds of a slice of a tuple or text must be known while compiling",
                        .found = {},
                        .expected = "an integer literal or constant",
                        .remedy = {},
                        .needsConstant = true});
    return *value;
  };
  const int64_t step = bound(slice.step, 1);
  if (step == 0)
    fail(span, {.kind = CompileErrorKind::Value,
                .message = "the step of a slice must not be zero",
                .found = {},
                .expected = {},
                .remedy = {}});
  auto clamp = [&](int64_t position) {
    position += position < 0 ? count : 0;
    return std::clamp(position, int64_t(step < 0 ? -1 : 0), step < 0 ? count - 1 : count);
  };
  const int64_t first = slice.start ? clamp(bound(slice.start, 0)) : step < 0 ? count - 1 : 0;
  const int64_t last = slice.stop ? clamp(bound(slice.stop, 0)) : step < 0 ? -1 : count;
  std::vector<int64_t> positions;
  for (int64_t i = first; step < 0 ? i > last : i < last; i += step)
    positions.push_back(i);
  return positions;
}

typed::Expr *ExpressionRules::tupleSlice(typed::Expr *tuple, const syntax::Subscript &expression) {
  const int64_t count = int64_t(tuple->type->items().size());
  const auto positions = constantPositions(expression.index->as<syntax::Slice>(), count, expression.span);
  return inBlock(expression.span, [&] {
    Items all = itemsOf(tuple), kept;
    settle(all, Settled::Optional);
    for (const int64_t position : positions)
      kept.push_back(all[size_t(position)]);
    return makeTuple(kept, expression.span);
  });
}

} // namespace treadle
