// Texts and bytes of NumPy's fixed widths: tuples of the codes of their characters, with zeros behind the last.
#include "infer/expression_rules.h"
#include "infer/known_text.h"

#include <algorithm>

namespace treadle {

namespace {

/// The code points of a text in UTF-8.
std::vector<uint32_t> codePointsOf(std::string_view text) {
  std::vector<uint32_t> codes;
  for (const char c : text) {
    const auto byte = uint8_t(c);
    if ((byte & 0xC0) == 0x80)
      codes.back() = codes.back() << 6 | (byte & 0x3F);
    else
      codes.push_back(byte < 0x80 ? byte : byte < 0xE0 ? byte & 0x1F : byte < 0xF0 ? byte & 0x0F : byte & 0x07);
  }
  return codes;
}

/// Each pair of characters that may have to be compared is code.
constexpr size_t mostPairs = 1200;

/// What can decide how the codes of a constant compare with so many others: behind those, the first that is not zero.
void keepDeciding(std::vector<typed::Expr *> &codes, size_t width) {
  const auto isZero = [](const typed::Expr *code) { return code->as<typed::Const>().integer == 0; };
  if (codes.size() <= width)
    return;
  const auto first = std::find_if_not(codes.begin() + ptrdiff_t(width), codes.end(), isZero);
  const bool isLonger = first != codes.end();
  if (isLonger)
    codes[width] = *first;
  codes.resize(width + size_t(isLonger));
}

bool hasKnownPart(std::string_view text, std::string_view part, bool isAtStart, bool isAtEnd) {
  return isAtStart ? text.starts_with(part) : isAtEnd ? text.ends_with(part) : text.find(part) != text.npos;
}

} // namespace

ValueRules::Items ValueRules::codesOf(typed::Expr *text) {
  if (!text->type->is(TypeKind::String))
    return itemsOf(text);
  Items codes;
  for (const uint32_t code : codePointsOf(text->type->text()))
    codes.push_back(nodes.integer(types::uint32(), code, text->span));
  return codes;
}

/// In a form that clone() can read.
typed::Expr *ValueRules::keptText(typed::Expr *text) { return typed::isConstant(*text) ? text : materialize(text); }

ValueRules::Items ValueRules::again(const typed::Expr &kept) { return codesOf(clone(&kept)); }

typed::Expr *ValueRules::textIn(typed::Expr *text, const Type *type) {
  return inBlock(text->span, [&] {
    Items codes = codesOf(text);
    const auto characters = type->items();
    codes.resize(std::min(codes.size(), characters.size()));
    for (typed::Expr *&code : codes)
      code = convert(code, characters[0]);
    while (codes.size() < characters.size())
      codes.push_back(nodes.integer(characters[0], 0, text->span));
    return nodes.tuple(type, codes, text->span);
  });
}

/// The characters of an element, as an array with one axis.
typed::Expr *ValueRules::charactersAt(typed::Expr *array, const Items &indices, SourceSpan span) {
  if (array->type->ndim() == 8)
    failUnsupported(span, "arrays of texts have at most 7 dimensions in kernels", "index the array");
  return rowView(nodes.fieldView(array, 0, span), indices, span);
}

typed::Expr *ValueRules::loadText(typed::Expr *array, const Items &indices, SourceSpan span) {
  const Type *text = types::text(array->type->element());
  return inBlock(span, [&] {
    typed::Expr *characters = spill(charactersAt(array, indices, span));
    Items codes;
    for (size_t i = 0; i < text->items().size(); ++i)
      codes.push_back(nodes.load(clone(characters), {nodes.integer(types::intp(), int64_t(i), span)}, span));
    return nodes.tuple(text, codes, span);
  });
}

/// The value as it is stored into an element: cut off or filled up with zeros, as NumPy does it.
typed::Expr *ValueRules::textFor(typed::Expr *value, const Type *element, std::string_view message) {
  value = unwrap(value);
  const Type *wanted = types::text(element), *given = value->type;
  const bool isConstant = given->is(TypeKind::String);
  const bool isEncoded = isConstant && !wanted->isUnicode();
  if (isEncoded && !isAscii(given->text()))
    fail(value->span, {.kind = CompileErrorKind::Value,
                       .message = "only ASCII characters can be stored as bytes",
                       .found = quoted(given->text()),
                       .expected = {},
                       .remedy = "encode the text: b\"...\" with the bytes it is to have"});
  const std::string_view remedy =
      given->is(Series::Format) ? "an f-string with values known only at run time can only be printed"
      : isText(*given)          ? "texts and bytes are different things: convert the array on the host"
                                : "";
  if (!isText(*given) || (isUnicode(*given) != wanted->isUnicode() && !isEncoded))
    fail(value->span, {.kind = CompileErrorKind::Typing,
                       .message = std::string(message),
                       .found = given->name(),
                       .expected = wanted->isUnicode() ? "a text" : "bytes",
                       .remedy = std::string(remedy)});
  return textIn(value, wanted);
}

void ValueRules::storeElement(typed::Expr *array, const Items &indices, typed::Expr *value, SourceSpan span) {
  const auto store = [&](typed::Expr *place, const Items &at, typed::Expr *item) {
    emit(nodes.statement<typed::Store>(typed::StmtKind::Store, span, typed::Indexed{place, nodes.memory().list(at)},
                                       item));
  };
  const Type *element = array->type->element();
  if (!element->isTextElement())
    return store(element->isTimeElement() ? ticksView(array) : array, indices, value);
  value = typed::isConstant(*value) ? value : spill(value);
  typed::Expr *characters = spill(charactersAt(array, indices, span));
  const Items codes = codesOf(value);
  for (size_t i = 0; i < codes.size(); ++i)
    store(clone(characters), {nodes.integer(types::intp(), int64_t(i), span)}, codes[i]);
}

/// Pairwise, so that the tree is not as deep as the tests are many.
typed::Expr *ValueRules::joined(Operation op, Items tests, bool ofNone, SourceSpan span) {
  if (tests.empty())
    return nodes.boolean(ofNone, span);
  while (tests.size() > 1) {
    Items pairs;
    for (size_t i = 0; i + 1 < tests.size(); i += 2)
      pairs.push_back(nodes.operation(op, types::boolean(), {tests[i], tests[i + 1]}, span));
    if (tests.size() % 2)
      pairs.push_back(tests.back());
    tests = std::move(pairs);
  }
  return tests[0];
}

typed::Expr *ValueRules::allOf(const Items &tests, SourceSpan span) {
  return joined(Operation::BitAnd, tests, true, span);
}

typed::Expr *ValueRules::anyOf(const Items &tests, SourceSpan span) {
  return joined(Operation::BitOr, tests, false, span);
}

/// As NumPy and Python compare: by the first characters that differ, and zeros at the end do not count, but for those
/// of two constants.
typed::Expr *ValueRules::compareCharacters(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  const std::optional<std::string> known = knownText(*left), other = knownText(*right);
  if (known && other)
    return after({left, right}, nodes.boolean(holdsOfTexts(op, *known, *other), span));
  const bool isEqual = op == CompareOperator::Equal, isEquality = isEqual || op == CompareOperator::NotEqual;
  return inBlock(span, [&]() -> typed::Expr * {
    Items both{left, right};
    settle(both);
    if (op == CompareOperator::Greater || op == CompareOperator::GreaterEqual)
      std::swap(both[0], both[1]);
    Items first = codesOf(both[0]), second = codesOf(both[1]);
    if (typed::isConstant(*both[0]))
      keepDeciding(first, second.size());
    else if (typed::isConstant(*both[1]))
      keepDeciding(second, first.size());
    const Type *character = isUnicode(*left->type) ? types::uint32() : types::uint8();
    const size_t count = std::max(first.size(), second.size());
    for (Items *codes : {&first, &second})
      while (codes->size() < count)
        codes->push_back(nodes.integer(character, 0, span));
    if (isEquality) {
      Items tests;
      for (size_t i = 0; i < count; ++i)
        tests.push_back(compareValues(op, first[i], second[i], span));
      return isEqual ? allOf(tests, span) : anyOf(tests, span);
    }
    typed::Expr *result = nodes.boolean(op == CompareOperator::LessEqual || op == CompareOperator::GreaterEqual, span);
    for (size_t i = count; i-- > 0;) {
      typed::Expr *one = materialize(first[i]), *other = materialize(second[i]);
      typed::Expr *isLess = compareValues(CompareOperator::Less, clone(one), clone(other), span);
      typed::Expr *isSame = compareValues(CompareOperator::Equal, one, other, span);
      result = materialize(anyOf({isLess, allOf({isSame, result}, span)}, span));
    }
    return result;
  });
}

/// Without the zeros at the end, but for those of constants.
typed::Expr *ValueRules::lengthOf(typed::Expr *text, SourceSpan span) {
  if (text->type->is(TypeKind::String))
    return nodes.integer(types::intp(), int64_t(lengthOfText(*text->type)), span);
  if (knownText(*text))
    return nodes.integer(types::intp(), int64_t(text->type->items().size()), span);
  return inBlock(span, [&] {
    typed::Expr *length = nodes.integer(types::intp(), 0, span);
    const Items codes = codesOf(text);
    for (size_t i = 0; i < codes.size(); ++i) {
      const auto *constant = codes[i]->kind == typed::ExprKind::Const ? &codes[i]->as<typed::Const>() : nullptr;
      typed::Expr *past = nodes.integer(types::intp(), int64_t(i) + 1, span);
      if (constant) {
        length = constant->integer ? past : length;
        continue;
      }
      typed::Expr *isThere =
          compareValues(CompareOperator::NotEqual, codes[i], nodes.integer(codes[i]->type, 0, span), span);
      length = materialize(nodes.operation(Operation::Select, types::intp(), {isThere, past, length}, span));
    }
    return length;
  });
}

typed::Expr *ValueRules::isNotEmpty(typed::Expr *text, SourceSpan span) {
  if (const std::optional<std::string> known = knownText(*text))
    return nodes.boolean(!known->empty(), span);
  return inBlock(span, [&] {
    Items tests;
    for (typed::Expr *code : codesOf(text))
      tests.push_back(compareValues(CompareOperator::NotEqual, code, nodes.integer(code->type, 0, span), span));
    return anyOf(tests, span);
  });
}

/// Whether a text has the other at that place. At its end: both end together.
typed::Expr *ValueRules::hasPart(typed::Expr *text, typed::Expr *part, PartPlace place, SourceSpan span) {
  const std::optional<std::string> known = knownText(*text), knownPart = knownText(*part);
  if (known && knownPart)
    return after(
        {text, part},
        nodes.boolean(hasKnownPart(*known, *knownPart, place == PartPlace::Start, place == PartPlace::End), span));
  return inBlock(span, [&]() -> typed::Expr * {
    Items both{text, part};
    settle(both);
    text = keptText(both[0]);
    part = keptText(both[1]);
    Items characters = again(*text), wanted = again(*part);
    const size_t width = characters.size(), partWidth = wanted.size();
    if (typed::isConstant(*part) && partWidth > width)
      return nodes.boolean(false, span);
    const size_t last = place == PartPlace::Start ? 0 : width;
    if ((last + 1) * (partWidth + 1) > mostPairs)
      failUnsupported(span,
                      "looking for a text of " + counted(partWidth, "character") + " in one of " +
                          std::to_string(width) + " takes more code than a kernel should have",
                      "compare the characters in a loop: text[i]");
    for (Items *codes : {&characters, &wanted})
      for (typed::Expr *&code : *codes)
        code = materialize(code);
    typed::Expr *partLength = materialize(lengthOf(clone(part), span));
    typed::Expr *length = materialize(lengthOf(clone(text), span));
    Items found;
    for (size_t position = 0; position <= last; ++position) {
      Items tests;
      for (size_t i = 0; i < partWidth; ++i) {
        typed::Expr *zero = nodes.integer(wanted[i]->type, 0, span);
        typed::Expr *here = position + i < width ? clone(characters[position + i]) : zero;
        typed::Expr *isPast = compareValues(CompareOperator::GreaterEqual,
                                            nodes.integer(types::intp(), int64_t(i), span), clone(partLength), span);
        tests.push_back(anyOf({isPast, compareValues(CompareOperator::Equal, here, clone(wanted[i]), span)}, span));
      }
      typed::Expr *end = binaryValue(BinaryOperator::Add, nodes.integer(types::intp(), int64_t(position), span),
                                     clone(partLength), span);
      tests.push_back(compareValues(place == PartPlace::End ? CompareOperator::Equal : CompareOperator::LessEqual, end,
                                    clone(length), span));
      found.push_back(allOf(tests, span));
    }
    return anyOf(found, span);
  });
}

/// A character: of bytes its value, of a text a text.
typed::Expr *ValueRules::characterFrom(typed::Expr *code, SourceSpan span) {
  if (code->type == types::uint8())
    return convert(code, types::int64());
  return nodes.tuple(types::text(true, 1), {code}, span);
}

typed::Expr *ValueRules::characterAt(const typed::Expr &kept, typed::Expr *index, SourceSpan span) {
  const Items codes = again(kept);
  if (const std::optional<int64_t> constant = constantInteger(*index); constant && *constant >= 0)
    return characterFrom(codes[size_t(*constant)], span);
  std::vector<const Type *> types;
  for (const typed::Expr *code : codes)
    types.push_back(code->type);
  return characterFrom(nodes.itemAt(nodes.tuple(types::tuple(types), codes, span), index, span), span);
}

typed::Expr *ExpressionRules::characterItem(typed::Expr *text, const syntax::Subscript &expression) {
  const SourceSpan span = expression.span;
  const auto width = int64_t(text->type->items().size());
  if (expression.index->kind == syntax::ExprKind::Slice)
    return characterSlice(text, expression);
  return inBlock(span, [&] {
    Items both{text, checkedIndex(expr(*expression.index), expression.index->span)};
    settle(both);
    text = keptText(both[0]);
    const std::optional<int64_t> constant = constantInteger(*both[1]);
    if (width == 0 || (constant && (*constant >= width || *constant < -width)))
      fail(expression.index->span,
           {.kind = CompileErrorKind::Index,
            .message = "the index lies outside of the text",
            .found = constant ? std::to_string(*constant) : "an index",
            .expected = width == 0 ? "nothing: the text is empty" : "an index for " + text->type->name(),
            .remedy = {}});
    auto number = [&](int64_t value) { return nodes.integer(types::intp(), value, span); };
    if (constant && knownText(*text))
      return characterAt(*text, number(*constant < 0 ? *constant + width : *constant), span);
    typed::Expr *index = materialize(convert(both[1], types::intp()));
    typed::Expr *length = materialize(lengthOf(clone(text), span));
    if (!constant || *constant < 0) {
      typed::Expr *isNegative = compareValues(CompareOperator::Less, clone(index), number(0), span);
      typed::Expr *fromEnd = binaryValue(BinaryOperator::Add, clone(index), clone(length), span);
      index = materialize(nodes.operation(Operation::Select, types::intp(), {isNegative, fromEnd, index}, span));
    }
    typed::Expr *isBelow = compareValues(CompareOperator::Less, clone(index), number(0), span);
    typed::Expr *isBeyond = compareValues(CompareOperator::GreaterEqual, clone(index), length, span);
    raiseWhere(anyOf({isBelow, isBeyond}, span), "the index lies outside of the text", span, "IndexError");
    return characterAt(*text, index, span);
  });
}

/// The characters between constant positions. Those behind the end of the text are zeros, as they are in the result.
typed::Expr *ExpressionRules::characterSlice(typed::Expr *text, const syntax::Subscript &expression) {
  const auto &slice = expression.index->as<syntax::Slice>();
  for (const syntax::Expr *part : {slice.start, slice.stop, slice.step}) {
    const std::optional<int64_t> bound = part ? constantInteger(*expr(*part)) : std::nullopt;
    if (bound && *bound < 0 && !typed::isConstant(*text))
      failUnsupported(part->span, "a slice of a text whose length is known only at run time cannot count from its end",
                      "loop over the characters: text[i] for i in range(len(text))");
  }
  const auto positions = constantPositions(slice, int64_t(text->type->items().size()), expression.span);
  return inBlock(expression.span, [&] {
    const Items codes = codesOf(text);
    Items kept;
    for (const int64_t position : positions)
      kept.push_back(codes[size_t(position)]);
    return nodes.tuple(types::text(text->type->isUnicode(), kept.size()), kept, expression.span);
  });
}

/// upper() and lower() of bytes, as Python has them: of ASCII alone.
typed::Expr *ValueRules::inCase(typed::Expr *text, bool isUpper, SourceSpan span) {
  if (const std::optional<std::string> known = knownText(*text))
    return constantBytes(nodes, inCaseOf(*known, isUpper), span);
  return inBlock(span, [&] {
    Items codes = codesOf(text);
    for (typed::Expr *&code : codes) {
      typed::Expr *kept = materialize(code);
      auto number = [&](int64_t value) { return nodes.integer(types::uint8(), value, span); };
      typed::Expr *isOther =
          allOf({compareValues(CompareOperator::GreaterEqual, clone(kept), number(isUpper ? 'a' : 'A'), span),
                 compareValues(CompareOperator::LessEqual, clone(kept), number(isUpper ? 'z' : 'Z'), span)},
                span);
      typed::Expr *changed = nodes.operation(Operation::BitXor, types::uint8(), {clone(kept), number('a' ^ 'A')}, span);
      code = nodes.operation(Operation::Select, types::uint8(), {isOther, changed, kept}, span);
    }
    return nodes.tuple(text->type, codes, span);
  });
}

} // namespace treadle
