// Where things stand in the user's source: spans, and the text that carets are drawn under.
#pragma once

#include "support/export.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace treadle {

/// A stretch of source text. Lines count from 1; columns are byte offsets into the UTF-8 line, from 0
/// (as Python's ast has them). A span with line 0 is nowhere: it belongs to code we made ourselves.
struct SourceSpan {
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t endLine = 0;
  uint32_t endColumn = 0;

  bool isKnown() const { return line != 0; }
};

/// The text of one function as it stands in its file. Immutable; shared by everything that may report an error.
struct SourceText {
  std::string file;       ///< as Python names it: a path, "<stdin>", "<string>", "<ipython-input-1-...>"
  std::string function;   ///< qualified name
  uint32_t firstLine = 1; ///< number in `file` of the first line of `text`
  std::string text;

  /// The line with that number in `file`, without its line break; empty where the text does not reach.
  TREADLE_API std::string_view line(uint32_t number) const;
};

using SourceRef = std::shared_ptr<const SourceText>;

} // namespace treadle
