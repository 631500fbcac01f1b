// The names of the errors that programs see: the classes of treadle/errors.py.
#pragma once

#include "support/error.h"

namespace treadle {

/// "TypingError", ...
TREADLE_API const char *errorName(CompileErrorKind kind);

} // namespace treadle
