// Positions in the user's source: spans, and the text that carets are drawn under.
#pragma once

#include "support/export.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace treadle {

/// A range of source text. Lines count from 1; columns are byte offsets into the UTF-8 line, from 0 (as in Python's
/// ast). A span with line 0 has no position: it belongs to code that Treadle made.
struct SourceSpan {
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t endLine = 0;
  uint32_t endColumn = 0;
  /// In typed trees: 0: the text of the function that the tree is of; else the text of a function that a pass has
  /// inlined: 1 + the index in FunctionHeader::expanded.
  uint32_t origin = 0;

  bool isKnown() const { return line != 0; }
};

/// The text of one function as written in its file. Immutable; shared by everything that may report an error.
struct SourceText {
  std::string file;       ///< as Python names it: a path, "<stdin>", "<string>", "<ipython-input-1-...>"
  std::string function;   ///< qualified name
  uint32_t firstLine = 1; ///< line number in `file` of the first line of `text`
  std::string text;

  /// The line with that number in `file`, without its line break; empty outside `text`.
  TREADLE_API std::string_view line(uint32_t number) const;
  /// The span of that line's text without its indentation; only the line number where `text` does not have it.
  TREADLE_API SourceSpan wholeLine(uint32_t number) const;
};

using SourceRef = std::shared_ptr<const SourceText>;

} // namespace treadle
