// Words, numbers and comments of PTX texts.
#include "lexer.h"

#include "fault.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstddef>
#include <cstdlib>

namespace ptxmachine {

namespace {

bool isWordStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}

/// `::` is part of a word (`.L2::128B`), a single colon ends a label. Directives end where a type begins (`.reg.b16`).
size_t wordLength(std::string_view text) {
  size_t length = 1;
  while (length < text.size()) {
    const char c = text[length];
    if (c == '.' && text[0] == '.')
      break;
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.')
      ++length;
    else if (c == ':' && text.substr(length).starts_with("::") && length + 2 < text.size())
      length += 2;
    else
      break;
  }
  return length;
}

size_t numberLength(std::string_view text) {
  const bool isHex = text.starts_with("0x") || text.starts_with("0X");
  size_t length = 0;
  while (length < text.size()) {
    const char c = text[length];
    const bool isExponentSign = (c == '+' || c == '-') && length && !isHex &&
                                (text[length - 1] == 'e' || text[length - 1] == 'E') &&
                                text.substr(0, length).find_first_of("fFdDxX") == std::string_view::npos;
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && !isExponentSign)
      break;
    ++length;
  }
  return length;
}

} // namespace

Token Lexer::take() {
  const Token taken = token;
  advance();
  return taken;
}

bool Lexer::accept(std::string_view wanted) {
  if (!token.is(wanted))
    return false;
  advance();
  return true;
}

void Lexer::expect(std::string_view wanted) {
  if (!accept(wanted))
    fail("expected '" + std::string(wanted) + "' before '" + std::string(token.text) + "'");
}

std::string Lexer::name() {
  if (token.kind != TokenKind::Word)
    fail("expected a name before '" + std::string(token.text) + "'");
  return std::string(take().text);
}

int64_t Lexer::integer() {
  const bool isNegative = accept("-");
  if (token.kind != TokenKind::Integer)
    fail("expected an integer before '" + std::string(token.text) + "'");
  const auto value = static_cast<int64_t>(take().bits);
  return isNegative ? -value : value;
}

std::string Lexer::takeMarker() {
  const std::string taken(marker);
  marker = {};
  return taken;
}

void Lexer::fail(const std::string &text) const { throw LoadError(token.line, text); }

bool Lexer::skipComment() {
  if (rest.starts_with("/*")) {
    const size_t end = rest.find("*/");
    const size_t length = end == rest.npos ? rest.size() : end + 2;
    line += static_cast<unsigned>(std::count(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
    rest.remove_prefix(length);
    return true;
  }
  if (!rest.starts_with("//"))
    return false;
  const std::string_view comment = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(comment.size());
  const size_t content = std::min(comment.find_first_not_of("/ "), comment.size());
  if (comment.substr(content).starts_with("fake:"))
    marker = comment.substr(content + 5);
  return true;
}

void Lexer::skipBlanks() {
  while (!rest.empty()) {
    if (std::isspace(static_cast<unsigned char>(rest.front()))) {
      line += rest.front() == '\n';
      rest.remove_prefix(1);
    } else if (!skipComment()) {
      return;
    }
  }
}

/// PTX's hexadecimal floats are exact bits: `0f` and 8 digits, `0d` and 16.
void Lexer::number(size_t length) {
  const std::string text(rest.substr(0, length));
  const char second = text.size() > 1 ? static_cast<char>(std::tolower(text[1])) : ' ';
  if (text[0] == '0' && (second == 'f' || second == 'd') && text.size() == (second == 'f' ? 10u : 18u)) {
    token.kind = TokenKind::Float;
    token.isSingle = second == 'f';
    token.bits = std::strtoull(text.c_str() + 2, nullptr, 16);
  } else if (second != 'x' && text.find_first_of(".eE") != text.npos) {
    token.kind = TokenKind::Float;
    token.bits = std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr));
  } else {
    token.kind = TokenKind::Integer;
    token.bits = second == 'b' ? std::strtoull(text.c_str() + 2, nullptr, 2) : std::strtoull(text.c_str(), nullptr, 0);
  }
}

void Lexer::advance() {
  skipBlanks();
  token = {};
  token.line = line;
  if (rest.empty())
    return;
  size_t length = 1;
  const char first = rest.front();
  const bool isFraction = first == '.' && rest.size() > 1 && std::isdigit(static_cast<unsigned char>(rest[1]));
  if (first == '"') {
    length = std::min(rest.find('"', 1), rest.size() - 1) + 1;
    token.kind = TokenKind::Text;
  } else if (std::isdigit(static_cast<unsigned char>(first)) || isFraction) {
    length = numberLength(rest);
    number(length);
  } else if (isWordStart(first)) {
    length = wordLength(rest);
    token.kind = TokenKind::Word;
  } else {
    token.kind = TokenKind::Sign;
  }
  token.text = rest.substr(0, length);
  rest.remove_prefix(length);
}

} // namespace ptxmachine
