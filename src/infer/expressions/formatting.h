// Formatting: f-strings: constants, or formatted run-time values in print().
#pragma once

#include "infer/values/whole.h"

namespace treadle {

/// The value of `f"..."`: a text, or a tuple of values under a type that has the pattern for printf (Series::Format).
typed::Expr *joinedString(const Context &context, const syntax::Sequence &expression);

} // namespace treadle
