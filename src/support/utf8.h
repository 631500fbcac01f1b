// UTF-8: the characters of a text.
#pragma once

#include "support/export.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace treadle {

struct Utf8Character {
  uint32_t codePoint = 0;
  size_t bytes = 1; ///< 1 for a byte that begins no valid sequence
  bool isValid = false;
};

/// Of a text that is not empty. Overlong forms, surrogates and code points beyond U+10FFFF are invalid.
TREADLE_API Utf8Character firstCharacter(std::string_view text);

/// Bytes that continue no character are not counted.
TREADLE_API size_t characterCount(std::string_view text);

} // namespace treadle
