// Reads signatures written as text: "void(float32[:], int32)".
#pragma once

#include "support/export.h"
#include "types/signature.h"

#include <string_view>

namespace treadle {

/// Forms: `result(types)`, `(types)`, and `types` without parentheses; types are names (also `types.int32`), arrays
/// `t[:]`, `t[:, ::1]`, `t[::1, :]`, tuples `(t, t)`, `Tuple((t, t))`, `UniTuple(t, n)`, `Optional(t)` and
/// `Array(t, ndim, 'C', readonly=True)`. A signature without result has `result` nullptr.
/// Throws UsageError (Value) with the text, a caret and what was expected.
TREADLE_API Signature parseSignature(std::string_view text);

/// One type. Throws as above.
TREADLE_API const Type *parseType(std::string_view text);

} // namespace treadle
