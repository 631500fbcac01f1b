// How wide text is on a terminal: carets must be placed under the text they refer to.
#pragma once

#include "support/export.h"

#include <string>
#include <string_view>

namespace treadle {

/// A line as it is printed, and the columns of its span.
struct DisplayLine {
  std::string text; ///< UTF-8; tabs become spaces, control characters and invalid bytes '?'
  size_t start = 0; ///< columns before the span
  size_t width = 0; ///< columns of the span
};

/// Lays out `line` with the span [begin, end) of its bytes. Tab stops are every 4 columns.
TREADLE_API DisplayLine displayed(std::string_view line, size_t begin, size_t end);

/// Cuts a line that is wider than `columns` down to a window around its span, marked by "...".
TREADLE_API DisplayLine cutAround(DisplayLine line, size_t columns);

} // namespace treadle
