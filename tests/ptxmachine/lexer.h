// Lexer: the words of a PTX text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ptxmachine {

enum class TokenKind : uint8_t {
  End,
  Word,    ///< names and opcodes with their dots: `add.s32`, `%r1`, `$L__BB0_2`, `.param`
  Integer, ///< `12`, `0x1fU`, `017`, `0b11`
  Float,   ///< `1.5`, `0f3F800000`, `0d3FF0000000000000`
  Text,    ///< with its quotes
  Sign     ///< a single character
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  uint64_t bits = 0;     ///< of an integer, or of a float: as a double, but as a float for `0f`
  bool isSingle = false; ///< `0f`
  unsigned line = 1;

  bool is(std::string_view wanted) const { return text == wanted && kind != TokenKind::Text; }
};

/// Reads one token at a time; `// fake:` comments are kept apart, for the stand-in of the driver.
class Lexer {
public:
  explicit Lexer(std::string_view text) : rest(text) { advance(); }

  const Token &current() const { return token; }
  Token take();
  bool accept(std::string_view wanted);
  /// Takes the word or throws LoadError.
  void expect(std::string_view wanted);
  std::string name();
  int64_t integer();
  /// The text of the last `// fake:` comment since the last call of this.
  std::string takeMarker();
  [[noreturn]] void fail(const std::string &text) const;

private:
  void skipBlanks();
  bool skipComment();
  void advance();
  void number(size_t length);

  std::string_view rest;
  std::string_view marker;
  Token token;
  unsigned line = 1;
};

} // namespace ptxmachine
