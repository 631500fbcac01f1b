// Elements, row views, fields, items of tuples and of array expressions.
// NumPy's and Python's subscripts: an index for each axis gives an element, fewer a row, slices a view, an array of
// integers an array expression of the elements that it names. Indices are not checked here; debug kernels check them at
// run time.
#include "infer/expressions/subscripts.h"

#include "infer/tree/advice.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle {

using syntax::ExprKind;

/// By the kind of value. Fields of records come first: `r["x"]` and `r[0]` are no indices of an array.
typed::Expr *Subscripts::subscript(const syntax::Subscript &expression) {
  typed::Expr *value = tree.unwrap(whole.expr(*expression.value));
  if (const std::optional<uint32_t> field = fieldOf(*value, *expression.index))
    return access.fieldOf(value, *field, expression.span);
  if (value->type->isArray())
    return elementOf(value, expression);
  if (value->type->is(Series::Range) && expression.index->kind != ExprKind::Slice)
    return sequences.rangeItem(value, access.checkedIndex(whole.expr(*expression.index), expression.index->span),
                               expression.span);
  if (value->type->is(Series::Elementwise))
    return elementwiseItem(value, expression);
  if (value->type->isPlainTuple())
    return tupleItem(value, expression);
  if (value->type->is(TypeKind::String))
    return textItem(*value->type, expression);
  if (value->type->is(Series::Text))
    return characterItem(value, expression);
  if (typed::Expr *member = enumerations.memberNamed(*value, expression))
    return member;
  // As with a NumPy scalar, which an array without axes yields.
  if (value->type->isNumber() && expression.index->kind == ExprKind::Tuple &&
      expression.index->as<syntax::Sequence>().items.empty())
    return value;
  const bool isFunction = value->type->is(TypeKind::Function);
  const std::string called(isFunction ? value->type->text() : "");
  tree.fail(expression.span, {.kind = CompileErrorKind::Typing,
                              .message = "this cannot be indexed",
                              .found = value->type->name(),
                              .expected = "an array or a tuple",
                              .remedy = isFunction ? "call it: " + called + "(...); launches, " + called +
                                                         "[grid, block](...), belong to the host"
                                                   : useOfFunction(*value->type)});
}

/// NumPy takes a list for the indices of several rows, but in kernels a list is a tuple, which is one index for each
/// axis.
/// `m[[0, 1]]` would be m[0, 1] here, silently something else.
void Subscripts::checkNoList(const syntax::Expr &index) const {
  if (flow.isList(index))
    tree.failUnsupported(
        index.span, "a list cannot be an index: NumPy would take the rows that it names",
        "write a tuple for one element, m[i, j]; index in a loop, or with an array of integers, for rows");
}

/// Whether it is an index that reads several elements of an array.
/// `a[indices]`: only to read, and as the only index.
bool Subscripts::isIndexArray(const Type &type, SourceSpan span) {
  return (type.isArray() && type.ndim() > 0 && type.element()->isInt()) ||
         (type.is(Series::Elementwise) && sequences.elementTypeOf(type, span)->isInt());
}

/// `a[i, j]`, `a[t]` with a tuple t, and `a[i]`. The array is evaluated before the index, which may have effects.
Items Subscripts::indicesOf(typed::Expr *&array, const syntax::Expr &index, bool takesArray) {
  Items indices;
  if (index.kind == ExprKind::Tuple) {
    for (const syntax::Expr *item : index.as<syntax::Sequence>().items)
      indices.push_back(access.checkedIndex(whole.expr(*item), item->span));
    return indices;
  }
  checkNoList(index);
  typed::Expr *value = whole.expr(index);
  if (takesArray && isIndexArray(*value->type, index.span)) {
    Items both{array, value};
    tree.settle(both);
    array = both[0];
    return {both[1]};
  }
  if (!value->type->isPlainTuple())
    return {access.checkedIndex(value, index.span)};
  Items both{array, value};
  tree.settle(both);
  array = both[0];
  for (typed::Expr *item : tree.itemsOf(both[1]))
    indices.push_back(access.checkedIndex(item, index.span));
  return indices;
}

/// `r["x"]`, `records["x"]`, `r[0]`. Names may come from variables whose value is known while compiling.
/// A position is asked for in a single record alone: `records[0]` is the first record. nullopt: an ordinary index.
std::optional<uint32_t> Subscripts::fieldOf(const typed::Expr &value, const syntax::Expr &index) {
  if (!value.type->isArray() || !value.type->element()->isRecord())
    return std::nullopt;
  const Type *record = value.type->element();
  const bool isReference = value.type->isRecordReference();
  // Only expressions without effects: an index that is not a field's name is evaluated again.
  const bool mayBeName =
      index.kind == ExprKind::String || index.kind == ExprKind::Literal || index.kind == ExprKind::Name ||
      index.kind == ExprKind::Attribute ||
      (index.kind == ExprKind::Unary && index.as<syntax::Unary>().operand->kind == ExprKind::Literal);
  const typed::Expr *key = mayBeName ? whole.expr(index) : nullptr;
  if (key && key->type->is(TypeKind::String)) {
    if (const int field = record->fieldIndex(key->type->text()); field >= 0)
      return uint32_t(field);
    std::vector<std::string_view> names;
    for (const RecordField &field : record->fields())
      names.push_back(field.name);
    const std::string_view closest = closestName(key->type->text(), names);
    tree.fail(index.span, {.kind = CompileErrorKind::Typing,
                           .message = "the record has no field of this name",
                           .found = quoted(key->type->text()),
                           .expected = "a field of " + record->name(),
                           .remedy = closest.empty() ? "" : "did you mean " + quoted(closest) + "?"});
  }
  if (!isReference)
    return std::nullopt;
  const std::optional<int64_t> position = key ? constantInteger(*key) : std::nullopt;
  const int64_t count = int64_t(record->fields().size());
  if (position && *position >= -count && *position < count)
    return uint32_t(*position < 0 ? *position + count : *position);
  if (index.kind == ExprKind::Tuple || index.kind == ExprKind::Slice || (key && !key->type->isInt()))
    return std::nullopt;
  tree.fail(index.span, {.kind = CompileErrorKind::Typing,
                         .message = "a field is chosen by its name, or by its position known while compiling",
                         .found = position ? std::to_string(*position) : "a value known only at run time",
                         .expected = "a field of " + record->name(),
                         .needsConstant = !position});
}

/// `a[()]` of an array with axes is the array itself, without axes its element, as in NumPy.
typed::Expr *Subscripts::elementOf(typed::Expr *array, const syntax::Subscript &expression) {
  // A tuple as index may need a temporary.
  return tree.inBlock(expression.span, [&]() -> typed::Expr * {
    if (isViewIndex(*expression.index))
      return sliceView(array, *expression.index, expression.span);
    typed::Expr *place = array;
    const Items indices = indicesOf(place, *expression.index, place->type->ndim() > 0);
    if (!indices.empty() && isIndexArray(*indices[0]->type, expression.span))
      return whole.applied("computed.pick", {place, indices[0]}, expression.span);
    access.checkIndexCount(*place, indices.size(), expression.span);
    return indices.empty() && place->type->ndim() > 0 ? place : access.rowView(place, indices, expression.span);
  });
}

/// Items of one type can be chosen at run time, others only by a constant, as the type of the result depends on it.
/// Lists that are empty or too short get advice on what to use in place of append().
typed::Expr *Subscripts::tupleItem(typed::Expr *tuple, const syntax::Subscript &expression) {
  const SourceSpan span = expression.span;
  if (expression.index->kind == ExprKind::Slice)
    return tupleSlice(tuple, expression);
  typed::Expr *index = access.checkedIndex(whole.expr(*expression.index), expression.index->span);
  const auto items = tuple->type->items();
  const int64_t count = int64_t(items.size());
  if (count == 0 && flow.isList(*expression.value))
    tree.failUnsupported(span, "this list is empty, and cannot grow in a kernel", std::string(insteadOfLists));
  if (const std::optional<int64_t> constant = constantInteger(*index)) {
    const int64_t position = *constant < 0 ? *constant + count : *constant;
    const bool isOfList = flow.isList(*expression.value);
    const std::string what = isOfList ? "list" : "tuple";
    if (position >= 0 && position < count)
      return tree.itemOf(tuple, uint32_t(position), span);
    tree.fail(
        span,
        {.kind = CompileErrorKind::Index,
         .message = "the index lies outside of the " + what + (isOfList ? ", which cannot grow in a kernel" : ""),
         .found = std::to_string(*constant),
         .expected = count == 0 ? "nothing: the " + what + " is empty" : fmt::format("{} to {}", -count, count - 1),
         .remedy = isOfList ? std::string(insteadOfLists) : ""});
  }
  if (!tuple->type->isUniTuple()) {
    tree.fail(span, {.kind = CompileErrorKind::Typing,
                     .message = "a tuple of several types needs an index that is known while compiling",
                     .found = tuple->type->name(),
                     .expected = "a tuple of one type, or a literal index",
                     .remedy = "loop over the tuple itself: for item in ...",
                     .needsConstant = true});
  }
  if (!typed::hasStorage(items[0]))
    return tree.after({tuple, index}, tree.unit(items[0], span));
  return tree.itemAt(tuple, index, span);
}

/// The positions of `count` that a slice with constant bounds selects.
/// CPython's rules (PySlice_AdjustIndices): bounds are clamped, and there is no error for what lies outside.
std::vector<int64_t> Subscripts::constantPositions(const syntax::Slice &slice, int64_t count, SourceSpan span) {
  auto bound = [&](const syntax::Expr *part, int64_t absent) {
    if (!part)
      return absent;
    const std::optional<int64_t> value = constantInteger(*whole.expr(*part));
    if (!value)
      tree.fail(part->span, {.kind = CompileErrorKind::Constant,
                             .message = "the bounds of a slice of a tuple or text must be known while compiling",
                             .expected = "an integer literal or constant",
                             .needsConstant = true});
    return *value;
  };
  const int64_t step = bound(slice.step, 1);
  if (step == 0)
    tree.fail(span, {.kind = CompileErrorKind::Value, .message = "the step of a slice must not be zero"});
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

/// Items that are left out are evaluated, as Python makes the whole tuple first.
typed::Expr *Subscripts::tupleSlice(typed::Expr *tuple, const syntax::Subscript &expression) {
  const int64_t count = int64_t(tuple->type->items().size());
  const auto positions = constantPositions(expression.index->as<syntax::Slice>(), count, expression.span);
  return tree.inBlock(expression.span, [&] {
    Items all = tree.itemsOf(tuple), kept;
    tree.settle(all, Settled::Optional);
    for (const int64_t position : positions)
      kept.push_back(all[size_t(position)]);
    return tree.makeTuple(kept, expression.span);
  });
}

/// An index for every axis yields an element; fewer yield an array expression of rows.
/// `(a + b)[i]` computes that one element.
typed::Expr *Subscripts::elementwiseItem(typed::Expr *value, const syntax::Subscript &expression) {
  const unsigned ndim = axesOf(*value->type);
  if (isViewIndex(*expression.index))
    tree.failUnsupported(expression.index->span, "an array expression cannot be sliced: it has no memory of its own",
                         "slice its operands, or assign it to elements of an array");
  return tree.inBlock(expression.span, [&]() -> typed::Expr * {
    typed::Expr *place = value;
    Items indices = indicesOf(place, *expression.index, true);
    if (!indices.empty() && isIndexArray(*indices[0]->type, expression.span))
      return whole.applied("computed.pick", {place, indices[0]}, expression.span);
    if (indices.size() > ndim)
      tree.failTyping(expression.span, "too many indices for an array expression of " + counted(ndim, "axis"));
    place = sequences.settledSeries(place);
    for (size_t axis = 0; axis < indices.size(); ++axis)
      indices[axis] = tree.materialize(tree.convert(indices[axis], types::intp()));
    return sequences.broadcastElement(*place, indices, ndim, expression.span);
  });
}

/// `a.flat[index]` as what is assigned: an index for each axis of `a`. Rounding down leaves a negative one for the
/// first axis, which counts from its end.
/// C order: the last axis varies fastest, so that it is split off first.
void Subscripts::indexFlat(typed::Expr *&array, Items &indices, typed::Expr *index, SourceSpan span) {
  array = tree.spill(tree.itemsOf(array)[1]);
  const unsigned ndim = array->type->ndim();
  indices.assign(ndim, nullptr);
  auto part = [&](Operation op, typed::Expr *dividend, unsigned axis) {
    return tree.materialize(tree.operation(op, types::intp(), {dividend, access.extentOf(*array, axis, span)}, span));
  };
  index = tree.materialize(tree.convert(index, types::intp()));
  for (unsigned axis = ndim; axis-- > 1;) {
    indices[axis] = part(Operation::Mod, tree.clone(index), axis);
    index = part(Operation::FloorDiv, tree.clone(index), axis);
  }
  indices[0] = index;
}

} // namespace treadle
