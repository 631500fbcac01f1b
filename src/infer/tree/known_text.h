// Compile-time texts and bytes. Trailing zeros count, as in Python; texts known only at run time follow NumPy.
#pragma once

#include "typed/nodes.h"
#include "types/number_rules.h"

#include <optional>
#include <string>
#include <string_view>

namespace treadle {

/// A text in UTF-8, or the bytes of constant bytes.
std::optional<std::string> knownText(const typed::Expr &value);
bool isAscii(std::string_view text);
bool holdsOfTexts(CompareOperator op, std::string_view left, std::string_view right);
/// Only for ASCII letters.
std::string inCaseOf(std::string text, bool isUpper);
/// In Python's notation.
std::string asWritten(std::string_view text);
typed::Expr *constantBytes(const typed::Nodes &nodes, std::string_view bytes, SourceSpan span);

} // namespace treadle
