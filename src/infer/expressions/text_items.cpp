// Characters and slices of texts: those known at compile time, and those of fixed widths.
// Two kinds of texts: those that are known while compiling, of any length, and those of fixed widths, whose characters
// are values. An index into the former must be a constant, as its result is a type; one into the latter need not be.
#include "infer/expressions/subscripts.h"

#include "infer/tree/known_text.h"
#include "support/utf8.h"

#include <fmt/core.h>

namespace treadle {

namespace {

/// By characters, as Python indexes, not by bytes of UTF-8.
std::vector<std::string_view> charactersOf(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    characters.push_back(text.substr(0, firstCharacter(text).bytes));
    text.remove_prefix(characters.back().size());
  }
  return characters;
}

} // namespace

/// `"abc"[-1]`, `"abc"[1:]`: done while compiling.
typed::Expr *Subscripts::textItem(const Type &text, const syntax::Subscript &expression) {
  const std::vector<std::string_view> all = charactersOf(text.text());
  const int64_t count = int64_t(all.size());
  if (expression.index->kind == syntax::ExprKind::Slice) {
    std::string kept;
    for (const int64_t position : constantPositions(expression.index->as<syntax::Slice>(), count, expression.span))
      kept += all[size_t(position)];
    return tree.unit(types::string(kept), expression.span);
  }
  const typed::Expr &index = *access.checkedIndex(whole.expr(*expression.index), expression.index->span);
  const std::optional<int64_t> constant = constantInteger(index);
  if (!constant)
    tree.fail(expression.index->span, {.kind = CompileErrorKind::Constant,
                                       .message = "the index of a text must be known while compiling",
                                       .found = index.type->name(),
                                       .expected = "an integer literal or constant",
                                       .needsConstant = true});
  const int64_t position = *constant < 0 ? *constant + count : *constant;
  if (position < 0 || position >= count)
    tree.fail(expression.index->span,
              {.kind = CompileErrorKind::Index,
               .message = "the index lies outside of the text",
               .found = std::to_string(*constant),
               .expected = count == 0 ? "nothing: the text is empty" : fmt::format("{} to {}", -count, count - 1)});
  return tree.unit(types::string(all[size_t(position)]), expression.span);
}

/// Python counts from the end of the text, and a text of width 7 may be shorter: `t[-1]` of "ab" in U7 is "b". So
/// negative indices need the length, as does the check of debug kernels. The index is evaluated after the text, as
/// Python does.
typed::Expr *Subscripts::characterItem(typed::Expr *text, const syntax::Subscript &expression) {
  const SourceSpan span = expression.span;
  const auto width = int64_t(text->type->items().size());
  if (expression.index->kind == syntax::ExprKind::Slice)
    return characterSlice(text, expression);
  return tree.inBlock(span, [&] {
    Items both{text, access.checkedIndex(whole.expr(*expression.index), expression.index->span)};
    tree.settle(both);
    text = characters.keptText(both[0]);
    const std::optional<int64_t> constant = constantInteger(*both[1]);
    if (width == 0 || (constant && (*constant >= width || *constant < -width)))
      tree.fail(expression.index->span,
                {.kind = CompileErrorKind::Index,
                 .message = "the index lies outside of the text",
                 .found = constant ? std::to_string(*constant) : "an index",
                 .expected = width == 0 ? "nothing: the text is empty" : "an index for " + text->type->name()});
    auto number = [&](int64_t value) { return tree.index(value, span); };
    if (constant && knownText(*text))
      return characters.characterAt(*text, number(*constant < 0 ? *constant + width : *constant), span);
    typed::Expr *index = tree.materialize(tree.convert(both[1], types::intp()));
    typed::Expr *length = tree.materialize(characters.lengthOf(tree.clone(text), span));
    if (!constant || *constant < 0) {
      typed::Expr *isNegative = operators.compareValues(CompareOperator::Less, tree.clone(index), number(0), span);
      typed::Expr *fromEnd = operators.binaryValue(BinaryOperator::Add, tree.clone(index), tree.clone(length), span);
      index = tree.materialize(tree.operation(Operation::Select, types::intp(), {isNegative, fromEnd, index}, span));
    }
    typed::Expr *isBelow = operators.compareValues(CompareOperator::Less, tree.clone(index), number(0), span);
    typed::Expr *isBeyond = operators.compareValues(CompareOperator::GreaterEqual, tree.clone(index), length, span);
    tree.raiseWhere(characters.anyOf({isBelow, isBeyond}, span), "the index lies outside of the text", span,
                    "IndexError");
    return characters.characterAt(*text, index, span);
  });
}

/// The characters between constant positions. Those beyond the end of the text are zeros, as in the result.
/// A bound that counts from the end is refused where the length is known only at run time: the positions would not be
/// constant.
typed::Expr *Subscripts::characterSlice(typed::Expr *text, const syntax::Subscript &expression) {
  const auto &slice = expression.index->as<syntax::Slice>();
  for (const syntax::Expr *part : {slice.start, slice.stop, slice.step}) {
    const std::optional<int64_t> bound = part ? constantInteger(*whole.expr(*part)) : std::nullopt;
    if (bound && *bound < 0 && !typed::isConstant(*text))
      tree.failUnsupported(part->span,
                           "a slice of a text whose length is known only at run time cannot count from its end",
                           "loop over the characters: text[i] for i in range(len(text))");
  }
  const auto positions = constantPositions(slice, int64_t(text->type->items().size()), expression.span);
  return tree.inBlock(expression.span, [&] {
    const Items codes = tree.codesOf(text);
    Items kept;
    for (const int64_t position : positions)
      kept.push_back(codes[size_t(position)]);
    return tree.tuple(types::text(text->type->isUnicode(), kept.size()), kept, expression.span);
  });
}

} // namespace treadle
