// Compile-time texts and bytes.
#include "infer/tree/known_text.h"

#include <algorithm>
#include <vector>

namespace treadle {

/// Constant bytes are a tuple of codes; a constant text is in its type. Texts known only at run time are neither.
std::optional<std::string> knownText(const typed::Expr &value) {
  if (value.type->is(TypeKind::String))
    return std::string(value.type->text());
  if (!value.type->is(Series::Text) || value.type->isUnicode() || value.kind != typed::ExprKind::Tuple ||
      !typed::isConstant(value))
    return std::nullopt;
  std::string bytes;
  for (const typed::Expr *code : value.as<typed::Tuple>().items)
    bytes += char(code->as<typed::Const>().integer);
  return bytes;
}

bool isAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return uint8_t(c) < 0x80; });
}

bool holdsOfTexts(CompareOperator op, std::string_view left, std::string_view right) {
  const int order = left.compare(right); // UTF-8 sorts by code point
  const bool answers[] = {order == 0, order != 0, order < 0, order <= 0, order > 0, order >= 0};
  return answers[size_t(op)];
}

/// Other letters have rules of Unicode, which kernels do not have.
std::string inCaseOf(std::string text, bool isUpper) {
  for (char &c : text)
    c = isUpper && c >= 'a' && c <= 'z' ? char(c - 32) : !isUpper && c >= 'A' && c <= 'Z' ? char(c + 32) : c;
  return text;
}

/// b"a\0" has two bytes here: zeros at the end count until the value is one known only at run time.
typed::Expr *constantBytes(const typed::Nodes &nodes, std::string_view bytes, SourceSpan span) {
  std::vector<typed::Expr *> codes;
  for (const char c : bytes)
    codes.push_back(nodes.integer(types::uint8(), uint8_t(c), span));
  return nodes.tuple(types::text(false, codes.size()), codes, span);
}

/// Control characters are escaped; what is not ASCII stays, as the text is UTF-8.
std::string asWritten(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (c == '\'' || c == '\\')
      literal += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      literal += std::string("\\x") + digits[c >> 4] + digits[c & 15];
    else
      literal += c;
  }
  return literal + "'";
}

} // namespace treadle
