// Texts: constants whose operations are done while compiling.
#include "infer/expression_rules.h"
#include "infer/known_text.h"
#include "support/display_width.h"

namespace treadle {

namespace {

/// The characters of a text in UTF-8.
std::vector<std::string_view> charactersOf(std::string_view text) {
  std::vector<std::string_view> characters;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    while (end < text.size() && (uint8_t(text[end]) & 0xC0) == 0x80)
      ++end;
    characters.push_back(text.substr(at, end - at));
    at = end;
  }
  return characters;
}

} // namespace

size_t ValueRules::lengthOfText(const Type &text) { return characterCount(text.text()); }

typed::Expr *ValueRules::joinTexts(typed::Expr *left, typed::Expr *right, SourceSpan span) {
  const std::string text = std::string(left->type->text()) + std::string(right->type->text());
  return after({left, right}, nodes.unit(types::string(text), span));
}

typed::Expr *ValueRules::compareTexts(CompareOperator op, const Type &left, const Type &right, SourceSpan span) {
  return nodes.boolean(holdsOfTexts(op, left.text(), right.text()), span);
}

typed::Expr *ExpressionRules::textItem(const Type &text, const syntax::Subscript &expression) {
  const std::vector<std::string_view> all = charactersOf(text.text());
  const int64_t count = int64_t(all.size());
  if (expression.index->kind == syntax::ExprKind::Slice) {
    std::string kept;
    for (const int64_t position : constantPositions(expression.index->as<syntax::Slice>(), count, expression.span))
      kept += all[size_t(position)];
    return nodes.unit(types::string(kept), expression.span);
  }
  const typed::Expr &index = *checkedIndex(expr(*expression.index), expression.index->span);
  const std::optional<int64_t> constant = constantInteger(index);
  if (!constant)
    fail(expression.index->span, {.kind = CompileErrorKind::Constant,
                                  .message = "the index of a text must be known while compiling",
                                  .found = index.type->name(),
                                  .expected = "an integer literal or constant",
                                  .remedy = {},
                                  .needsConstant = true});
  const int64_t position = *constant < 0 ? *constant + count : *constant;
  if (position < 0 || position >= count)
    fail(expression.index->span, {.kind = CompileErrorKind::Index,
                                  .message = "the index lies outside of the text",
                                  .found = std::to_string(*constant),
                                  .expected = count == 0 ? "nothing: the text is empty"
                                                         : std::to_string(-count) + " to " + std::to_string(count - 1),
                                  .remedy = {}});
  return nodes.unit(types::string(all[size_t(position)]), expression.span);
}

/// upper(), lower(), startswith(), endswith(); nullptr for others.
typed::Expr *BuiltinRules::callTextMethod(typed::Expr *value, std::string_view method, const Arguments &arguments) {
  const Type &text = *value->type;
  const Items &given = arguments.positional;
  const SourceSpan span = arguments.span;
  const bool isUpper = method == "upper";
  if ((isUpper || method == "lower") && given.empty() && arguments.keywords.empty()) {
    if (!text.is(TypeKind::String) && !text.isUnicode())
      return inCase(value, isUpper, span);
    if (!text.is(TypeKind::String))
      failUnsupported(span, std::string(method) + "() of texts known only at run time is not supported in kernels",
                      "use bytes, whose letters are those of ASCII");
    if (!isAscii(text.text()))
      failUnsupported(span, std::string(method) + "() of letters beyond ASCII is not supported in kernels");
    return nodes.unit(types::string(inCaseOf(std::string(text.text()), isUpper)), span);
  }
  const bool isStart = method == "startswith";
  const bool isPart = (isStart || method == "endswith") && given.size() == 1 && arguments.keywords.empty();
  if (!isPart || !isText(*given[0]->type) || isUnicode(*given[0]->type) != isUnicode(text))
    return nullptr;
  return hasPart(value, given[0], isStart ? PartPlace::Start : PartPlace::End, span);
}

} // namespace treadle
