// Decodes UTF-8.
#include "support/utf8.h"

#include <algorithm>

namespace treadle {

namespace {

bool continues(char byte) { return (byte & 0xc0) == 0x80; }

} // namespace

Utf8Character firstCharacter(std::string_view text) {
  const auto first = uint8_t(text[0]);
  if (first < 0x80)
    return {first, 1, true};
  const size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (bytes == 0 || text.size() < bytes)
    return {};
  uint32_t code = first & (0x7fu >> bytes);
  for (const char byte : text.substr(1, bytes - 1)) {
    if (!continues(byte))
      return {};
    code = code << 6 | (uint8_t(byte) & 0x3f);
  }
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return {};
  return {code, bytes, true};
}

size_t characterCount(std::string_view text) {
  return text.size() - size_t(std::count_if(text.begin(), text.end(), continues));
}

} // namespace treadle
