// Parses signatures written as text, such as "void(float32[:], int32)", and prints types in the same form.
#pragma once

#include "support/export.h"
#include "types/signature.h"

#include <string>
#include <string_view>

namespace treadle {

/// Forms: `result(types)`, `(types)`, and `types` without parentheses; types are names (also `types.int32`), arrays
/// `t[:]`, `t[:, ::1]`, `t[::1, :]`, tuples `(t, t)`, `Tuple((t, t))`, `UniTuple(t, n)`, `Optional(t)` and
/// `Array(t, ndim, 'C', readonly=True)`. A signature without result has `result` nullptr.
/// Throws UsageError (Value) with the text, a caret and what was expected.
TREADLE_API Signature parseSignature(std::string_view text);

/// One type. Throws as above.
TREADLE_API const Type *parseType(std::string_view text);

/// In the form that parseType accepts, which records do not have.
TREADLE_API std::string parseableText(const Type *type);

/// Throws UsageError (Type) for elements that arrays cannot have.
TREADLE_API void checkElements(const Type *element);

struct ArrayFlags {
  bool readOnly = false;
  bool aligned = true;
};

/// An array by its layout's letter: C, F or A. Throws UsageError.
TREADLE_API const Type *arrayType(const Type *element, unsigned ndim, std::string_view layout, ArrayFlags flags);

/// The letter of a layout.
constexpr const char *layoutLetter(Layout layout) {
  return layout == Layout::C ? "C" : layout == Layout::F ? "F" : "A";
}

} // namespace treadle
