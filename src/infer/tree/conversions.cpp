// Conversions, and the parts of tuples and texts.
// Conversions between numbers are operations; those of tuples, texts and values that may be None are made of their
// parts, so that generators know conversions of numbers alone.
#include "infer/tree/advice.h"
#include "infer/tree/fold.h"
#include "infer/tree/tree.h"
#include "support/utf8.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle {

namespace {

std::vector<uint32_t> codePointsOf(std::string_view text) {
  std::vector<uint32_t> codes;
  while (!text.empty()) {
    const Utf8Character next = firstCharacter(text);
    codes.push_back(next.codePoint);
    text.remove_prefix(next.bytes);
  }
  return codes;
}

} // namespace

/// int to Optional(float) is int to float, then wrapped; an array in C order to one of any order is the same view under
/// another type. What rules do not allow must have been refused before.
typed::Expr *Tree::convert(typed::Expr *value, const Type *type) {
  const Type *from = value->type;
  if (from == type)
    return value;
  if (from->isNumber() && type->isNumber()) {
    if (value->kind == typed::ExprKind::Const)
      return foldConvert(*this, value->as<typed::Const>(), type);
    return operation(Operation::Convert, type, {value}, value->span);
  }
  if (type->isOptional() || from->isOptional())
    return convertOptional(value, type);
  if (from->isArray() && type->isArray())
    return view(type, typed::ViewKind::Axes, value, {});
  if (type->is(Series::Text))
    return textIn(value, type);
  TREADLE_CHECK(from->isTuple() && type->isTuple());
  return convertTuple(value, type);
}

/// Whether there is a value is known only at run time, and the value part of None means nothing: it is converted only
/// on the side of the conditional where there is one.
typed::Expr *Tree::convertOptional(typed::Expr *value, const Type *type) {
  const SourceSpan span = value->span;
  if (!type->isOptional())
    return convert(unwrap(value), type);
  if (value->type->isNone()) {
    return inBlock(span, [&] {
      emitValue(value, span);
      return operation(Operation::MakeNone, type, {}, span);
    });
  }
  if (!value->type->isOptional())
    return operation(Operation::MakeSome, type, {convert(value, type->element())}, span);
  return inBlock(span, [&] {
    typed::Expr *kept = materialize(value);
    typed::Expr *some = operation(Operation::MakeSome, type, {convert(unwrap(clone(kept)), type->element())}, span);
    typed::Expr *none = operation(Operation::MakeNone, type, {}, span);
    return conditional(test(Operation::HasValue, {kept}, span), some, none, span);
  });
}

/// Item by item: (int32, int32) becomes (int64, float64).
typed::Expr *Tree::convertTuple(typed::Expr *value, const Type *type) {
  return inBlock(value->span, [&] {
    Items items = itemsOf(value);
    for (size_t i = 0; i < items.size(); ++i)
      items[i] = convert(items[i], type->items()[i]);
    return tuple(type, items, value->span);
  });
}

/// As Numba: what can be stored without an explicit conversion, also from float to integer (`x[i] = 1.5` of integers).
typed::Expr *Tree::convertFor(typed::Expr *value, const Type *type, std::string_view message, SourceSpan span) {
  if (value->type == type || rules.canStore(value->type, type))
    return convert(value, type);
  std::string remedy;
  if (value->type->isComplex() && type->isReal())
    remedy = "take a part of it: .real, .imag or abs()";
  else if (value->type->isNone())
    remedy = "a function that returns nothing has no value to use: check that it returns one on every path";
  else if (value->type->isArray() && type->isNumber())
    remedy = "index the array";
  fail(span, {.kind = CompileErrorKind::Typing,
              .message = std::string(message),
              .found = value->type->name(),
              .expected = type->name(),
              .remedy = remedy});
}

/// Unchecked at run time: of None, the bits of its value part, which mean nothing.
typed::Expr *Tree::unwrap(typed::Expr *value) {
  if (!value->type->isOptional())
    return value;
  return operation(Operation::Unwrap, value->type->element(), {value}, value->span);
}

/// A display gives its own items. Of anything else, what would be evaluated for each item is evaluated once before.
Items Tree::itemsOf(typed::Expr *tuple) {
  if (tuple->kind == typed::ExprKind::Tuple) {
    const auto &items = tuple->as<typed::Tuple>().items;
    return {items.begin(), items.end()};
  }
  Items items;
  const uint32_t count = uint32_t(tuple->type->items().size());
  if (tuple->kind == typed::ExprKind::Attribute) {
    // The array is evaluated once; its extents are read one by one.
    auto &whole = tuple->as<typed::Attribute>();
    typed::Expr *array = materialize(whole.array);
    for (uint32_t i = 0; i < count; ++i)
      items.push_back(attribute(clone(array), whole.attribute, int32_t(i), tuple->span));
    return items;
  }
  tuple = materialize(tuple);
  for (uint32_t i = 0; i < count; ++i)
    items.push_back(itemOf(clone(tuple), i, tuple->span));
  return items;
}

/// `x.shape[0]` reads one extent, and makes no tuple of all.
typed::Expr *Tree::itemOf(typed::Expr *tuple, uint32_t index, SourceSpan span) {
  const Type *type = tuple->type->items()[index];
  if (!typed::hasStorage(type))
    return after({tuple}, unit(type, span));
  if (tuple->kind == typed::ExprKind::Attribute) {
    auto &whole = tuple->as<typed::Attribute>();
    return attribute(whole.array, whole.attribute, int32_t(index), span);
  }
  if (tuple->kind != typed::ExprKind::Tuple)
    return item(tuple, index, span);
  // The other items of a display are dropped, but not their effects.
  const auto given = tuple->as<typed::Tuple>().items;
  return inBlock(span, [&] {
    Items items(given.begin(), given.end());
    settle(items, Settled::Optional);
    typed::Expr *chosen = nullptr;
    for (uint32_t i = 0; i < items.size(); ++i) {
      if (i != index)
        emitValue(items[i], span);
      else
        chosen = items[i];
    }
    return chosen;
  });
}

/// A text known while compiling is in UTF-8; the codes of others have 32 bits, those of bytes 8, as NumPy's.
Items Tree::codesOf(typed::Expr *text) {
  if (!text->type->is(TypeKind::String))
    return itemsOf(text);
  Items codes;
  for (const uint32_t code : codePointsOf(text->type->text()))
    codes.push_back(integer(types::uint32(), code, text->span));
  return codes;
}

/// NumPy truncates silently: `a[i] = "abcdef"` into U3 stores "abc". Zeros at the end do not count as characters.
typed::Expr *Tree::textIn(typed::Expr *text, const Type *type) {
  return inBlock(text->span, [&] {
    Items codes = codesOf(text);
    const auto characters = type->items();
    codes.resize(std::min(codes.size(), characters.size()));
    for (typed::Expr *&code : codes)
      code = convert(code, characters[0]);
    while (codes.size() < characters.size())
      codes.push_back(integer(characters[0], 0, text->span));
    return tuple(type, codes, text->span);
  });
}

namespace {

/// The numbers and arrays in a nested tuple, counted up to `most`: a small type may have exponentially many, as items
/// are shared.
size_t countParts(const Type *type, size_t most) {
  if (!type->isTuple())
    return 1;
  size_t count = 0;
  for (const Type *item : type->items())
    if (count <= most)
      count += countParts(item, most - std::min(most, count));
  return count;
}

} // namespace

/// Each value of a tuple becomes a variable of its own, so that the time to compile grows with their number.
typed::Expr *Tree::makeTuple(const Items &items, SourceSpan span) {
  constexpr size_t maxParts = 4096;
  std::vector<const Type *> itemTypes;
  for (const typed::Expr *item : items)
    itemTypes.push_back(item->type);
  const Type *type = types::tuple(itemTypes);
  if (countParts(type, maxParts) > maxParts)
    fail(span, {.kind = CompileErrorKind::Limit,
                .message = "this tuple is too large to be compiled",
                .found = fmt::format("more than {} values", maxParts),
                .remedy = "use an array: cuda.local.array(...)"});
  return tuple(type, items, span);
}

/// The value matters of literals only: `x + 1` keeps the type of an int8 under the cuda-python rules, `x + 1000` does
/// not.
Operand operandOf(const typed::Expr &value) {
  Operand operand{value.type};
  if (value.kind == typed::ExprKind::Const) {
    const auto &constant = value.as<typed::Const>();
    operand.isLiteral = constant.isLiteral;
    operand.integer = constant.integer;
    operand.real = constant.real;
  }
  return operand;
}

std::optional<int64_t> constantInteger(const typed::Expr &value) {
  if (value.kind != typed::ExprKind::Const || !value.type->isInt())
    return std::nullopt;
  return value.as<typed::Const>().integer;
}

} // namespace treadle
