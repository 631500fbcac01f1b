// Matching by trying each alternative.
#include "spelling.h"

#include <algorithm>
#include <cstddef>

namespace ptxmachine {

namespace {

using Words = std::vector<std::string_view>;

Words split(std::string_view text, char separator) {
  Words result;
  while (true) {
    const size_t end = text.find(separator);
    result.push_back(text.substr(0, end));
    if (end == text.npos)
      return result;
    text.remove_prefix(end + 1);
  }
}

/// Takes the next element of a pattern off its front; elements are separated by dots outside of brackets.
std::string_view nextElement(std::string_view &pattern) {
  const char close = pattern.front() == '(' ? ')' : pattern.front() == '[' ? ']' : '.';
  size_t end = pattern.find(close);
  if (close != '.' && end != pattern.npos)
    ++end;
  const std::string_view element = pattern.substr(0, end);
  pattern.remove_prefix(element.size());
  if (!pattern.empty() && pattern.front() == '.')
    pattern.remove_prefix(1);
  return element;
}

bool matchWords(std::string_view pattern, const Words &words, size_t at, Words &taken) {
  if (pattern.empty())
    return at == words.size();
  const std::string_view element = nextElement(pattern);
  const bool isOptional = element.front() == '[';
  const bool isChoice = isOptional || element.front() == '(';
  const std::string_view inner = isChoice ? element.substr(1, element.size() - 2) : element;
  for (const std::string_view alternative : split(inner, '|')) {
    const Words parts = split(alternative, '.');
    if (at + parts.size() > words.size() ||
        !std::equal(parts.begin(), parts.end(), words.begin() + static_cast<std::ptrdiff_t>(at)))
      continue;
    const size_t before = taken.size();
    taken.insert(taken.end(), parts.begin(), parts.end());
    if (matchWords(pattern, words, at + parts.size(), taken))
      return true;
    taken.resize(before);
  }
  return isOptional && matchWords(pattern, words, at, taken);
}

bool readType(std::string_view word, Type &type) {
  if (word == "pred") {
    type = {TypeKind::Predicate, 1, false};
    return true;
  }
  if (word == "f16x2" || word == "bf16x2") {
    type = {word[0] == 'b' ? TypeKind::BFloat : TypeKind::Float, 32, true};
    return true;
  }
  if (word == "bf16") {
    type = {TypeKind::BFloat, 16, false};
    return true;
  }
  static constexpr std::string_view kinds = "busf", sizes[] = {"8", "16", "32", "64", "128"};
  const size_t kind = kinds.find(word.empty() ? ' ' : word[0]);
  if (kind == kinds.npos)
    return false;
  for (size_t at = 0, bits = 8; at < 5; ++at, bits *= 2)
    if (word.substr(1) == sizes[at]) {
      type = {static_cast<TypeKind>(kind), static_cast<uint8_t>(bits), false};
      return true;
    }
  return false;
}

} // namespace

bool Spelling::has(std::string_view word) const { return std::find(words.begin(), words.end(), word) != words.end(); }

bool matches(std::string_view pattern, std::string_view opcode, Spelling &spelling) {
  const Words words = split(opcode, '.');
  if (pattern.substr(0, pattern.find_first_of(".[(")) != words.front())
    return false;
  Words taken;
  if (!matchWords(pattern, words, 0, taken))
    return false;
  spelling = {};
  spelling.words = std::move(taken);
  for (const std::string_view word : spelling.words)
    if (Type type; readType(word, type))
      spelling.types.push_back(type);
  return true;
}

} // namespace ptxmachine
