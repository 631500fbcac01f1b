// How wide text is on a terminal: carets must stand under what they mean.
#pragma once

#include "support/export.h"

#include <string>
#include <string_view>

namespace treadle {

/// A line as it is printed, and where each byte of it stands.
struct DisplayLine {
  std::string text; ///< UTF-8; tabs are spaces, control characters and broken bytes are '?'
  size_t start = 0; ///< columns before the span
  size_t width = 0; ///< columns of the span
};

/// Lays out `line` and the stretch [begin, end) of its bytes. Tabs stop every 4 columns.
TREADLE_API DisplayLine layOut(std::string_view line, size_t begin, size_t end);

/// Number of characters (code points) in the UTF-8 text.
TREADLE_API size_t characterCount(std::string_view text);

/// Cuts a line that is wider than `columns` down to a window around its span, marked by "...".
TREADLE_API DisplayLine cutAround(DisplayLine line, size_t columns);

} // namespace treadle
