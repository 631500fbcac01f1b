// Formatting: f-strings: constants, or formatted run-time values in print().
#pragma once

#include "infer/values/whole.h"

namespace treadle {

typed::Expr *joinedString(const Context &context, const syntax::Sequence &expression);

} // namespace treadle
