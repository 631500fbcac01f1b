// Texts and bytes of fixed widths: comparisons, lengths, parts, single characters.
// A text known only at run time is a tuple of codes, one variable for each character: it has no memory, so that texts
// are values like numbers. Each operation is written out for all characters, without loops, which is why widths are
// limited. Tests are combined by & and |, not by branches: lanes of a warp would diverge.
#include "infer/values/characters.h"
#include "infer/tree/known_text.h"
#include "support/utf8.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle {

namespace {

/// Each pair of characters that may have to be compared is emitted as code.
constexpr size_t mostPairs = 1200;

/// Keeps the codes of a constant that can affect a comparison with `width` codes: beyond those, the first nonzero one.
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

/// At neither end: anywhere, as Python's `in`.
bool hasKnownPart(std::string_view text, std::string_view part, bool isAtStart, bool isAtEnd) {
  return isAtStart ? text.starts_with(part) : isAtEnd ? text.ends_with(part) : text.find(part) != text.npos;
}

} // namespace

/// In a form that clone() can read.
typed::Expr *Characters::keptText(typed::Expr *text) {
  return typed::isConstant(*text) ? text : tree.materialize(text);
}

/// New nodes for the codes of a kept text: no node may stand in a tree twice.
Items Characters::again(const typed::Expr &kept) { return tree.codesOf(tree.clone(&kept)); }

/// Pairwise, so that the tree's depth is logarithmic in the number of tests.
typed::Expr *Characters::joined(Operation op, Items tests, bool ofNone, SourceSpan span) {
  if (tests.empty())
    return tree.boolean(ofNone, span);
  while (tests.size() > 1) {
    Items pairs;
    for (size_t i = 0; i + 1 < tests.size(); i += 2)
      pairs.push_back(tree.test(op, {tests[i], tests[i + 1]}, span));
    if (tests.size() % 2)
      pairs.push_back(tests.back());
    tests = std::move(pairs);
  }
  return tests[0];
}

/// Of no tests: true.
typed::Expr *Characters::allOf(const Items &tests, SourceSpan span) {
  return joined(Operation::BitAnd, tests, true, span);
}

/// Of no tests: false.
typed::Expr *Characters::anyOf(const Items &tests, SourceSpan span) {
  return joined(Operation::BitOr, tests, false, span);
}

/// As NumPy and Python compare: by the first characters that differ, ignoring trailing zeros, except for those of two
/// constants.
/// The shorter one counts as padded with zeros: "ab" < "abc", and "ab" == "ab\0". `a > b` is computed as b < a, after
/// both were evaluated from left to right. For the order, the last characters come first: each step says what holds
/// from there on, "less, or equal and then the rest".
typed::Expr *Characters::compareCharacters(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  const std::optional<std::string> known = knownText(*left), other = knownText(*right);
  if (known && other)
    return tree.after({left, right}, tree.boolean(holdsOfTexts(op, *known, *other), span));
  const bool isEqual = op == CompareOperator::Equal, isEquality = isEqual || op == CompareOperator::NotEqual;
  return tree.inBlock(span, [&]() -> typed::Expr * {
    Items both{left, right};
    tree.settle(both);
    if (op == CompareOperator::Greater || op == CompareOperator::GreaterEqual)
      std::swap(both[0], both[1]);
    Items first = tree.codesOf(both[0]), second = tree.codesOf(both[1]);
    if (typed::isConstant(*both[0]))
      keepDeciding(first, second.size());
    else if (typed::isConstant(*both[1]))
      keepDeciding(second, first.size());
    const Type *character = isUnicode(*left->type) ? types::uint32() : types::uint8();
    const size_t count = std::max(first.size(), second.size());
    for (Items *codes : {&first, &second})
      while (codes->size() < count)
        codes->push_back(tree.integer(character, 0, span));
    if (isEquality) {
      Items tests;
      for (size_t i = 0; i < count; ++i)
        tests.push_back(whole.compareValues(op, first[i], second[i], span));
      return isEqual ? allOf(tests, span) : anyOf(tests, span);
    }
    typed::Expr *result = tree.boolean(op == CompareOperator::LessEqual || op == CompareOperator::GreaterEqual, span);
    for (size_t i = count; i-- > 0;) {
      typed::Expr *one = tree.materialize(first[i]), *other = tree.materialize(second[i]);
      typed::Expr *isLess = whole.compareValues(CompareOperator::Less, tree.clone(one), tree.clone(other), span);
      typed::Expr *isSame = whole.compareValues(CompareOperator::Equal, one, other, span);
      result = tree.materialize(anyOf({isLess, allOf({isSame, result}, span)}, span));
    }
    return result;
  });
}

/// Without trailing zeros, except for those of constants.
/// The position after the last nonzero code: zeros in the middle count.
typed::Expr *Characters::lengthOf(typed::Expr *text, SourceSpan span) {
  if (text->type->is(TypeKind::String))
    return tree.index(int64_t(lengthOfText(*text->type)), span);
  if (knownText(*text))
    return tree.index(int64_t(text->type->items().size()), span);
  return tree.inBlock(span, [&] {
    typed::Expr *length = tree.index(0, span);
    const Items codes = tree.codesOf(text);
    for (size_t i = 0; i < codes.size(); ++i) {
      const auto *constant = codes[i]->kind == typed::ExprKind::Const ? &codes[i]->as<typed::Const>() : nullptr;
      typed::Expr *past = tree.index(int64_t(i) + 1, span);
      if (constant) {
        length = constant->integer ? past : length;
        continue;
      }
      typed::Expr *isThere =
          whole.compareValues(CompareOperator::NotEqual, codes[i], tree.integer(codes[i]->type, 0, span), span);
      length = tree.materialize(tree.operation(Operation::Select, types::intp(), {isThere, past, length}, span));
    }
    return length;
  });
}

/// Python's truth of a text: one nonzero code is enough, and the length is not needed.
typed::Expr *Characters::isNotEmpty(typed::Expr *text, SourceSpan span) {
  if (const std::optional<std::string> known = knownText(*text))
    return tree.boolean(!known->empty(), span);
  return tree.inBlock(span, [&] {
    Items tests;
    for (typed::Expr *code : tree.codesOf(text))
      tests.push_back(whole.compareValues(CompareOperator::NotEqual, code, tree.integer(code->type, 0, span), span));
    return anyOf(tests, span);
  });
}

/// Whether a text contains the other at that place. At its end: both end together.
/// Each place is tried, where codes beyond the end of the part match anything, and the part must end within the text.
typed::Expr *Characters::hasPart(typed::Expr *text, typed::Expr *part, PartPlace place, SourceSpan span) {
  const std::optional<std::string> known = knownText(*text), knownPart = knownText(*part);
  if (known && knownPart)
    return tree.after(
        {text, part},
        tree.boolean(hasKnownPart(*known, *knownPart, place == PartPlace::Start, place == PartPlace::End), span));
  return tree.inBlock(span, [&]() -> typed::Expr * {
    Items both{text, part};
    tree.settle(both);
    text = keptText(both[0]);
    part = keptText(both[1]);
    Items characters = again(*text), wanted = again(*part);
    const size_t width = characters.size(), partWidth = wanted.size();
    if (typed::isConstant(*part) && partWidth > width)
      return tree.boolean(false, span);
    const size_t last = place == PartPlace::Start ? 0 : width;
    if ((last + 1) * (partWidth + 1) > mostPairs)
      tree.failUnsupported(
          span,
          fmt::format("looking for a text of {} in one of {} takes more code than a kernel should have",
                      counted(partWidth, "character"), width),
          "compare the characters in a loop: text[i]");
    for (Items *codes : {&characters, &wanted})
      for (typed::Expr *&code : *codes)
        code = tree.materialize(code);
    typed::Expr *partLength = tree.materialize(lengthOf(tree.clone(part), span));
    typed::Expr *length = tree.materialize(lengthOf(tree.clone(text), span));
    Items found;
    for (size_t position = 0; position <= last; ++position) {
      Items tests;
      for (size_t i = 0; i < partWidth; ++i) {
        typed::Expr *zero = tree.integer(wanted[i]->type, 0, span);
        typed::Expr *here = position + i < width ? tree.clone(characters[position + i]) : zero;
        typed::Expr *isPast = whole.compareValues(CompareOperator::GreaterEqual, tree.index(int64_t(i), span),
                                                  tree.clone(partLength), span);
        tests.push_back(
            anyOf({isPast, whole.compareValues(CompareOperator::Equal, here, tree.clone(wanted[i]), span)}, span));
      }
      typed::Expr *end =
          whole.binaryValue(BinaryOperator::Add, tree.index(int64_t(position), span), tree.clone(partLength), span);
      tests.push_back(whole.compareValues(place == PartPlace::End ? CompareOperator::Equal : CompareOperator::LessEqual,
                                          end, tree.clone(length), span));
      found.push_back(allOf(tests, span));
    }
    return anyOf(found, span);
  });
}

/// A character: for bytes its value, for a text a text.
/// As in Python: b"ab"[0] is 97, "ab"[0] is "a".
typed::Expr *Characters::characterFrom(typed::Expr *code, SourceSpan span) {
  if (code->type == types::uint8())
    return tree.convert(code, types::int64());
  return tree.tuple(types::text(true, 1), {code}, span);
}

/// Precondition: the index lies within the text, and is not negative.
typed::Expr *Characters::characterAt(const typed::Expr &kept, typed::Expr *index, SourceSpan span) {
  const Items codes = again(kept);
  if (const std::optional<int64_t> constant = constantInteger(*index); constant && *constant >= 0)
    return characterFrom(codes[size_t(*constant)], span);
  std::vector<const Type *> types;
  for (const typed::Expr *code : codes)
    types.push_back(code->type);
  return characterFrom(tree.itemAt(tree.tuple(types::tuple(types), codes, span), index, span), span);
}

/// upper() and lower() of bytes, as in Python: for ASCII only.
/// Upper and lower letters of ASCII differ in one bit.
typed::Expr *Characters::inCase(typed::Expr *text, bool isUpper, SourceSpan span) {
  if (const std::optional<std::string> known = knownText(*text))
    return constantBytes(tree, inCaseOf(*known, isUpper), span);
  return tree.inBlock(span, [&] {
    Items codes = tree.codesOf(text);
    for (typed::Expr *&code : codes) {
      typed::Expr *kept = tree.materialize(code);
      auto number = [&](int64_t value) { return tree.integer(types::uint8(), value, span); };
      typed::Expr *isOther = allOf(
          {whole.compareValues(CompareOperator::GreaterEqual, tree.clone(kept), number(isUpper ? 'a' : 'A'), span),
           whole.compareValues(CompareOperator::LessEqual, tree.clone(kept), number(isUpper ? 'z' : 'Z'), span)},
          span);
      typed::Expr *changed =
          tree.operation(Operation::BitXor, types::uint8(), {tree.clone(kept), number('a' ^ 'A')}, span);
      code = tree.operation(Operation::Select, types::uint8(), {isOther, changed, kept}, span);
    }
    return tree.tuple(text->type, codes, span);
  });
}

/// In characters, not in bytes of UTF-8.
size_t lengthOfText(const Type &text) { return characterCount(text.text()); }

} // namespace treadle
