// Quotes text for JSON.
#include "support/json.h"

#include <cstdio>

namespace treadle {

namespace {

bool continues(char c) { return (c & 0xc0) == 0x80; }

/// The length of the character at the beginning of the text; 0: it is no UTF-8. Without overlong forms, surrogates and
/// what lies beyond U+10FFFF.
size_t lengthOfCharacter(std::string_view text) {
  const auto first = uint8_t(text[0]), second = uint8_t(text.size() > 1 ? text[1] : 0);
  if (first < 0x80)
    return 1;
  const size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                        : first >= 0xe0 && first <= 0xef ? 3
                        : first >= 0xf0 && first <= 0xf4 ? 4
                                                         : 0;
  if (length == 0 || text.size() < length)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if (!continues(text[i]))
      return 0;
  const bool isWrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                       (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return isWrong ? 0 : length;
}

} // namespace

std::string jsonText(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const size_t length = lengthOfCharacter(text);
    const char c = text[0];
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (uint8_t(c) < 0x20 || c == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(c));
      quoted += escape;
    } else if (length == 0) {
      quoted += "\\ufffd";
    } else {
      quoted += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return quoted + '"';
}

} // namespace treadle
