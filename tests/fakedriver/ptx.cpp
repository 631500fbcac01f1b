// A parser for the small part of PTX that is needed.
#include "ptx.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

namespace fakecuda {

namespace {

/// Words of PTX: names and directives with their dots, numbers, single punctuation. Comments are skipped, but
/// `// fake:` lines become one token that starts with "//".
class Tokens {
public:
  explicit Tokens(std::string_view text) : text(text) { advance(); }

  std::string_view current() const { return token; }
  bool atEnd() const { return token.empty(); }
  std::string_view take() {
    const std::string_view taken = token;
    advance();
    return taken;
  }
  bool accept(std::string_view wanted) {
    if (token != wanted)
      return false;
    advance();
    return true;
  }

private:
  static bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' || c == '%';
  }

  /// Whether a comment was skipped; the token is set if it was a marker.
  bool skipComment() {
    if (text.starts_with("/*")) {
      const size_t end = text.find("*/");
      text.remove_prefix(end == text.npos ? text.size() : end + 2);
      return true;
    }
    if (!text.starts_with("//"))
      return false;
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size());
    const size_t content = std::min(line.find_first_not_of("/ "), line.size());
    if (line.substr(content).starts_with("fake:"))
      token = line;
    return true;
  }

  void advance() {
    token = {};
    while (token.empty() && !text.empty()) {
      if (std::isspace(static_cast<unsigned char>(text.front()))) {
        text.remove_prefix(1);
        continue;
      }
      if (skipComment())
        continue;
      size_t length = 1;
      if (text.front() == '"')
        length = std::min(text.find('"', 1), text.size() - 1) + 1;
      else if (isWord(text.front()))
        while (length < text.size() && isWord(text[length]))
          ++length;
      token = text.substr(0, length);
      text.remove_prefix(length);
    }
  }

  std::string_view text;
  std::string_view token;
};

size_t number(std::string_view word) { return std::strtoull(std::string(word).c_str(), nullptr, 0); }

/// Bytes of `.f32` and the like, 0 for other words.
size_t typeBytes(std::string_view word) {
  if (word.size() < 3 || word[0] != '.' || std::string_view("bsuf").find(word[1]) == std::string_view::npos)
    return 0;
  const size_t bits = number(word.substr(2));
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128 ? bits / 8 : 0;
}

struct Declaration {
  std::string name;
  size_t bytes = 0;
  size_t alignment = 1;
};

/// From after `.param`, `.shared`, `.global` or `.const` to the end of the declaration.
Declaration readDeclaration(Tokens &tokens) {
  Declaration result;
  size_t element = 1, count = 1;
  while (!tokens.atEnd() && tokens.current() != ";" && tokens.current() != "," && tokens.current() != ")" &&
         tokens.current() != "=") {
    const std::string_view word = tokens.take();
    if (word == ".align") {
      // `.ptr .global .align 16` describes what the parameter points to, not the parameter.
      const size_t alignment = number(tokens.take());
      if (element == 1 && result.name.empty())
        result.alignment = alignment;
    } else if (const size_t bytes = typeBytes(word)) {
      element = bytes;
      result.alignment = std::max(result.alignment, bytes);
    } else if (word == "[") {
      if (tokens.current() != "]")
        count *= number(tokens.take());
      tokens.accept("]");
    } else if (word[0] != '.') {
      result.name = word;
    }
  }
  result.bytes = element * count;
  return result;
}

std::vector<unsigned> readNumbers(Tokens &tokens) {
  std::vector<unsigned> result;
  do
    result.push_back(static_cast<unsigned>(number(tokens.take())));
  while (tokens.accept(","));
  return result;
}

void readParameters(Tokens &tokens, PtxEntry &entry) {
  if (!tokens.accept("("))
    return;
  while (!tokens.atEnd() && !tokens.accept(")")) {
    if (!tokens.accept(".param")) {
      tokens.take();
      continue;
    }
    const Declaration declared = readDeclaration(tokens);
    const size_t offset = (entry.parameterBytes + declared.alignment - 1) / declared.alignment * declared.alignment;
    entry.parameters.push_back({offset, declared.bytes, declared.alignment});
    entry.parameterBytes = offset + declared.bytes;
  }
}

void readBody(Tokens &tokens, PtxEntry &entry) {
  size_t depth = 0;
  do {
    const std::string_view word = tokens.take();
    depth += word == "{";
    depth -= word == "}";
    if (word == ".shared" && typeBytes(tokens.current()) + (tokens.current() == ".align") > 0)
      entry.sharedBytes += readDeclaration(tokens).bytes;
  } while (!tokens.atEnd() && depth);
}

PtxEntry readEntry(Tokens &tokens, std::string_view marker) {
  PtxEntry entry;
  entry.name = tokens.take();
  readParameters(tokens, entry);
  while (!tokens.atEnd() && tokens.current() != "{" && tokens.current() != ";") {
    const std::string_view word = tokens.take();
    if (word == ".maxntid")
      entry.maxThreads = readNumbers(tokens);
    else if (word == ".reqntid")
      entry.threads = readNumbers(tokens);
  }
  if (tokens.current() == "{")
    readBody(tokens, entry);

  for (size_t at = 0; at < marker.size();) {
    const size_t begin = std::min(marker.find_first_not_of(" \t\r", at), marker.size());
    at = std::min(marker.find_first_of(" \t\r", begin), marker.size());
    const std::string word(marker.substr(begin, at - begin));
    if (entry.native.empty())
      entry.native = word;
    else if (!word.empty())
      entry.places.push_back(word);
  }
  return entry;
}

} // namespace

const PtxEntry *PtxModule::entry(std::string_view name) const {
  for (const PtxEntry &entry : entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

std::optional<PtxModule> readPtx(std::string_view text, std::string &problem) {
  PtxModule module;
  Tokens tokens(text);
  std::string_view marker;
  while (!tokens.atEnd()) {
    const std::string_view word = tokens.take();
    if (word.starts_with("//")) {
      marker = word.substr(word.find("fake:") + 5);
    } else if (word == ".version") {
      const std::string_view version = tokens.take();
      module.version = static_cast<int>(number(version) * 10 + number(version.substr(version.find('.') + 1)));
    } else if (word == ".target") {
      const std::string_view target = tokens.take();
      module.target = target.starts_with("sm_") ? static_cast<int>(number(target.substr(3))) : 0;
    } else if (word == ".entry") {
      module.entries.push_back(readEntry(tokens, marker));
      marker = {};
    } else if (word == ".func") {
      PtxEntry ignored;
      while (!tokens.atEnd() && tokens.current() != "{" && tokens.current() != ";")
        tokens.take();
      if (tokens.current() == "{")
        readBody(tokens, ignored);
    } else if (word == ".global" || word == ".const") {
      const Declaration declared = readDeclaration(tokens);
      module.variables.push_back({declared.name, declared.bytes});
      while (!tokens.atEnd() && !tokens.accept(";"))
        tokens.take();
    }
  }
  if (!module.version)
    problem = "no .version directive";
  else if (!module.target)
    problem = "no .target sm_NN directive";
  else
    return module;
  return std::nullopt;
}

} // namespace fakecuda
