// Mistake: a message to the user, and throwing it.
#pragma once

#include "support/error.h"
#include "types/type.h"

#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// The text of a diagnostic, without its position.
struct Mistake {
  CompileErrorKind kind = CompileErrorKind::Typing;
  std::string message = {};
  std::string found = {};
  std::string expected = {};
  std::string remedy = {};
  bool needsConstant = false;                    ///< Diagnostic::needsConstant
  bool needsHeap = false;                        ///< Diagnostic::needsHeap
  std::optional<uint32_t> literalParameter = {}; ///< Diagnostic::literalParameter
};

/// Throws CompileError at that place. A position inside a device function gets the calls that led to it later, from
/// Compilation::instance.
[[noreturn]] void throwMistake(const Mistake &mistake, const SourceRef &source, SourceSpan span);

/// 'name', as messages quote source text.
std::string quoted(std::string_view name);

/// "3 arguments", "1 argument".
std::string counted(size_t count, std::string_view noun);

/// The candidate most similar to a misspelt name, or "".
std::string_view closestName(std::string_view name, const std::vector<std::string_view> &candidates);

} // namespace treadle
