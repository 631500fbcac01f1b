// Indices, row views, fields, and elements of all kinds.
// Two rules shape this file. Chains of indices are one access: `a[i][j]` and `records[i].x` are a view and an index in
// the syntax, and a single load in the tree. And elements that are not numbers are made of numbers: a date is an int64,
// a text its characters, a record a reference to where it lies.
#include "infer/values/array_access.h"
#include "infer/tree/advice.h"
#include "infer/tree/known_text.h"

#include <fmt/core.h>

namespace treadle {

/// A bool is refused: Python takes `a[True]` for a[1], NumPy for a mask.
typed::Expr *ArrayAccess::checkedIndex(typed::Expr *index, SourceSpan span) {
  index = tree.unwrap(index);
  const Type *type = index->type;
  if (type->isInt())
    return index;
  if (type->is(TypeKind::Slice) || type->is(TypeKind::Ellipsis) || type->isNone())
    tree.failUnsupported(span, "a slice in a variable cannot be an index", "write the slice into the brackets");
  if (type->isArray() || type->is(Series::Elementwise))
    tree.failUnsupported(
        span, "an array cannot be an index here",
        "index in a loop, or np.where() for a mask; to read, an array of integers may be the only index: "
        "out[:] = a[indices]");
  tree.fail(span, {.kind = CompileErrorKind::Typing,
                   .message = "an index must be an integer",
                   .found = type->name(),
                   .expected = "an integer",
                   .remedy = type->isFloat()  ? "convert it: int(...); a quotient of integers by // is one"
                             : type->isBool() ? "convert it: int(...)"
                                              : useOfFunction(*type)});
}

/// Fewer indices than axes select a part of the array; that is not checked here.
void ArrayAccess::checkIndexCount(const typed::Expr &array, size_t count, SourceSpan span) {
  if (count <= array.type->ndim())
    return;
  tree.fail(span, {.kind = CompileErrorKind::Typing,
                   .message = "too many indices",
                   .found = counted(count, "index") == "1 index" ? "1 index" : fmt::format("{} indices", count),
                   .expected = fmt::format("at most {}, for {}", array.type->ndim(), array.type->name())});
}

/// A captured host array is copied into the kernel when it is compiled: a write to it would be lost.
void ArrayAccess::checkStorable(const typed::Expr &array, SourceSpan span) {
  if (!array.type->isArray()) {
    tree.fail(span,
              {.kind = CompileErrorKind::Typing,
               .message = "elements of this cannot be assigned",
               .found = array.type->name(),
               .expected = "an array",
               .remedy = array.type->isTuple() ? "tuples never change: make a new one, or use cuda.local.array" : ""});
  }
  if (array.type->isReadOnly()) {
    tree.fail(span, {.kind = CompileErrorKind::Typing,
                     .message = "this array is read-only",
                     .found = array.type->name(),
                     .expected = "an array that can be written",
                     .remedy = "pass a writable array; arrays captured from outside the kernel are constants"});
  }
}

/// The element if there is an index for every axis, else a view of the remaining axes.
/// An element that is a record is a view without axes: `p = r[i]; p.x += 1` writes to the array.
typed::Expr *ArrayAccess::rowView(typed::Expr *array, const Items &given, SourceSpan span) {
  Items indices = given;
  mergeRowView(array, indices);
  const Type *element = array->type->element();
  if (indices.size() == array->type->ndim() && element->isTimeElement())
    return timeFrom(tree.load(ticksView(array), indices, span), element, span);
  if (indices.size() == array->type->ndim() && element->isTextElement())
    return loadText(array, indices, span);
  if (indices.size() == array->type->ndim() && !element->isRecord())
    return tree.load(array, indices, span);
  if (indices.empty())
    return array;
  std::vector<typed::ViewAxis> axes;
  for (typed::Expr *index : indices)
    axes.push_back({typed::ViewAxis::Kind::Index, index, nullptr, nullptr});
  typed::Expr *view = tree.view(rowType(array->type, indices.size()), typed::ViewKind::Axes, array, axes);
  view->span = span;
  return view;
}

/// Only views of leading indices: `a[i][j]` is a[i, j], while `a[1:][j]` depends on where the slice begins.
void ArrayAccess::mergeRowView(typed::Expr *&array, Items &indices) {
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

/// The type of the view that `count` leading indices select.
/// Rows of an array in C order have no gaps; those of one in Fortran order have.
const Type *ArrayAccess::rowType(const Type *array, size_t count) const {
  const unsigned left = array->ndim() - unsigned(count);
  const bool isContiguous = array->layout() == Layout::C || count == 0;
  return types::viewOf(array, left, isContiguous ? array->layout() : Layout::Any);
}

typed::Expr *ArrayAccess::extentOf(const typed::Expr &array, unsigned axis, SourceSpan span) {
  return tree.attribute(tree.clone(&array), typed::ArrayAttribute::Shape, int32_t(axis), span);
}

/// The field is selected before the indices are applied, so that records[i].x is one access.
/// The axes of a field that is an array come after those of the array of records.
void ArrayAccess::selectField(typed::Expr *&array, Items &indices, uint32_t field, SourceSpan span) {
  const RecordField &chosen = array->type->element()->fields()[field];
  if (!chosen.type->isElement())
    tree.failUnsupported(
        span, "field " + quoted(chosen.name) + " has dtype " + chosen.type->name() + ", which kernels do not have",
        "use fields of numbers, arrays of them, and records");
  mergeRowView(array, indices);
  if (array->type->ndim() + chosen.shape.size() > 8)
    tree.failTyping(span, "an array has at most 8 dimensions");
  array = tree.fieldView(array, field, span);
}

typed::Expr *ArrayAccess::fieldOf(typed::Expr *array, uint32_t field, SourceSpan span) {
  Items indices;
  selectField(array, indices, field, span);
  return rowView(array, indices, span);
}

/// A date is a tuple of its count, under a type that has the unit.
typed::Expr *ArrayAccess::timeFrom(typed::Expr *ticks, const Type *element, SourceSpan span) {
  return tree.tuple(types::time(element), {ticks}, span);
}

/// The array reinterpreted as int64.
/// Loads and stores of dates are those of integers; the generators know no dates.
typed::Expr *ArrayAccess::ticksView(typed::Expr *array) {
  const Type *type = array->type;
  return tree.view(types::array(types::int64(),
                                {type->ndim(), type->layout(), type->isReadOnly(), type->space(), type->isUnaligned()}),
                   typed::ViewKind::Axes, array, {});
}

/// The value as stored into an element of that type.
/// Dates and durations take the unit of the element, by rules of NumPy that are written in Python (times.py).
typed::Expr *ArrayAccess::elementValue(typed::Expr *value, const Type *element, std::string_view message,
                                       SourceSpan span) {
  if (element->isTextElement())
    return textFor(value, element, message);
  if (!element->isTimeElement())
    return tree.convertFor(value, element, message, span);
  typed::Expr *cast = whole.applied("time.cast", {value, tree.unit(types::typeObject(element), span)}, span);
  return tree.inBlock(span, [&] { return tree.itemOf(cast, 0, span); });
}

/// The characters of an element, as a one-dimensional array.
/// A text element has one field, its characters; so an array of texts has one axis more here, of at most 8.
typed::Expr *ArrayAccess::charactersAt(typed::Expr *array, const Items &indices, SourceSpan span) {
  if (array->type->ndim() == 8)
    tree.failUnsupported(span, "arrays of texts have at most 7 dimensions in kernels", "index the array");
  return rowView(tree.fieldView(array, 0, span), indices, span);
}

/// All characters at once, as a text is a value: a later store into the element does not change it.
typed::Expr *ArrayAccess::loadText(typed::Expr *array, const Items &indices, SourceSpan span) {
  const Type *text = types::text(array->type->element());
  return tree.inBlock(span, [&] {
    typed::Expr *characters = tree.spill(charactersAt(array, indices, span));
    Items codes;
    for (size_t i = 0; i < text->items().size(); ++i)
      codes.push_back(tree.load(tree.clone(characters), {tree.index(int64_t(i), span)}, span));
    return tree.tuple(text, codes, span);
  });
}

/// The value as stored into an element: truncated or zero-padded, as in NumPy.
/// `b[i] = "abc"` of bytes is allowed for constants of ASCII, as NumPy encodes them; a text known only at run time is
/// not encoded.
typed::Expr *ArrayAccess::textFor(typed::Expr *value, const Type *element, std::string_view message) {
  value = tree.unwrap(value);
  const Type *wanted = types::text(element), *given = value->type;
  const bool isConstant = given->is(TypeKind::String);
  const bool isEncoded = isConstant && !wanted->isUnicode();
  if (isEncoded && !isAscii(given->text()))
    tree.fail(value->span, {.kind = CompileErrorKind::Value,
                            .message = "only ASCII characters can be stored as bytes",
                            .found = quoted(given->text()),
                            .remedy = "encode the text: b\"...\" with the bytes it is to have"});
  const std::string_view remedy =
      given->is(Series::Format) ? "an f-string with values known only at run time can only be printed"
      : isText(*given)          ? "texts and bytes are different things: convert the array on the host"
                                : "";
  if (!isText(*given) || (isUnicode(*given) != wanted->isUnicode() && !isEncoded))
    tree.fail(value->span, {.kind = CompileErrorKind::Typing,
                            .message = std::string(message),
                            .found = given->name(),
                            .expected = wanted->isUnicode() ? "a text" : "bytes",
                            .remedy = std::string(remedy)});
  return tree.textIn(value, wanted);
}

/// A text is stored character by character, so the value and the place become temporaries: each is evaluated once.
void ArrayAccess::storeElement(typed::Expr *array, const Items &indices, typed::Expr *value, SourceSpan span) {
  const auto store = [&](typed::Expr *place, const Items &at, typed::Expr *item) {
    tree.emit(tree.statement<typed::Store>(typed::StmtKind::Store, span, typed::Indexed{place, tree.memory().list(at)},
                                           item));
  };
  const Type *element = array->type->element();
  if (!element->isTextElement())
    return store(element->isTimeElement() ? ticksView(array) : array, indices, value);
  value = typed::isConstant(*value) ? value : tree.spill(value);
  typed::Expr *characters = tree.spill(charactersAt(array, indices, span));
  const Items codes = tree.codesOf(value);
  for (size_t i = 0; i < codes.size(); ++i)
    store(tree.clone(characters), {tree.index(int64_t(i), span)}, codes[i]);
}

} // namespace treadle
