// Variables: type, alignment, extents, initial value.
#include "variable_parser.h"

#include "fault.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

namespace ptxmachine {

size_t typeBytes(std::string_view type) {
  if (type == ".pred")
    return 1;
  if (type == ".bf16" || type == ".f16")
    return 2;
  if (type == ".f16x2" || type == ".bf16x2")
    return 4;
  if (type.size() < 3 || type[0] != '.' || std::string_view("bsuf").find(type[1]) == std::string_view::npos)
    return 0;
  const int bits = std::atoi(std::string(type.substr(2)).c_str());
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128 ? static_cast<size_t>(bits) / 8 : 0;
}

std::optional<Space> spaceNamed(std::string_view directive) {
  constexpr std::pair<std::string_view, Space> spaces[] = {{".global", Space::Global},
                                                           {".const", Space::Const},
                                                           {".shared", Space::Shared},
                                                           {".local", Space::Local},
                                                           {".param", Space::Param}};
  for (const auto &[name, space] : spaces)
    if (name == directive)
      return space;
  return std::nullopt;
}

namespace {

class Initial {
public:
  Initial(Lexer &lexer, Variable &variable) : lexer(lexer), variable(variable) {}

  void read() {
    if (!lexer.accept("{"))
      return element();
    if (lexer.accept("}"))
      return;
    do
      read();
    while (lexer.accept(","));
    lexer.expect("}");
  }

private:
  void append(uint64_t bits) {
    const size_t at = variable.initial.size();
    variable.initial.resize(at + variable.elementBytes);
    std::memcpy(variable.initial.data() + at, &bits, std::min<size_t>(variable.elementBytes, sizeof bits));
  }

  /// `x`, `x+4`, `generic(x)+4`, and `0xFF00(x)`: a byte of an address, which no compiler of today writes.
  void address() {
    SymbolAddress address{variable.initial.size(), {}, 0, lexer.accept("generic")};
    if (address.isGeneric)
      lexer.expect("(");
    address.symbol = lexer.name();
    if (address.isGeneric)
      lexer.expect(")");
    if (lexer.accept("+"))
      address.addend = lexer.integer();
    variable.addresses.push_back(address);
    append(0);
  }

  void element() {
    const bool isNegative = lexer.accept("-");
    const Token token = lexer.current();
    if (token.kind == TokenKind::Word)
      return address();
    if (token.kind != TokenKind::Integer && token.kind != TokenKind::Float)
      lexer.fail("expected a number before '" + std::string(token.text) + "'");
    lexer.take();
    uint64_t bits = token.bits;
    if (token.kind == TokenKind::Float && !token.isSingle && variable.elementBytes == 4)
      bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    if (isNegative && token.kind == TokenKind::Float)
      bits ^= uint64_t{1} << (variable.elementBytes * 8 - 1);
    else if (isNegative)
      bits = 0 - bits;
    append(bits);
  }

  Lexer &lexer;
  Variable &variable;
};

} // namespace

Variable declaration(Lexer &lexer, Space space) {
  Variable variable;
  variable.space = space;
  std::string type;
  size_t alignment = 0, vector = 1;
  while (lexer.current().kind == TokenKind::Word && lexer.current().text[0] == '.') {
    const std::string word = lexer.name();
    if (word == ".align")
      alignment = static_cast<size_t>(lexer.integer());
    else if (word == ".ptr") { // what the parameter points to
      while (lexer.current().kind == TokenKind::Word && lexer.current().text[0] == '.')
        if (lexer.name() == ".align")
          lexer.integer();
    } else if (word == ".attribute") {
      while (!lexer.accept(")"))
        lexer.take();
    } else if (word == ".v2" || word == ".v4")
      vector = word == ".v2" ? 2 : 4;
    else if (typeBytes(word))
      type = word;
    else
      lexer.fail("'" + word + "' in a declaration is not known");
  }
  if (type.empty())
    lexer.fail("a declaration without a type");
  variable.elementBytes = typeBytes(type);
  variable.alignment = alignment ? alignment : variable.elementBytes * vector;
  variable.bytes = variable.elementBytes * vector;
  variable.name = lexer.name();
  while (lexer.accept("[")) {
    variable.bytes = lexer.accept("]") ? 0 : variable.bytes * static_cast<size_t>(lexer.integer());
    if (variable.bytes)
      lexer.expect("]");
  }
  if (lexer.accept("=")) {
    Initial(lexer, variable).read();
    if (variable.bytes < variable.initial.size())
      variable.bytes = variable.initial.size();
  }
  return variable;
}

std::vector<Variable> declarations(Lexer &lexer, Space space, Linkage linkage) {
  std::vector<Variable> result;
  do {
    result.push_back(declaration(lexer, space));
    result.back().linkage = linkage;
  } while (lexer.accept(","));
  lexer.expect(";");
  return result;
}

} // namespace ptxmachine
