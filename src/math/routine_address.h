// The addresses of vector routines in this process.
#pragma once

#include "support/export.h"

#include <string_view>

namespace treadle::math {

/// Whether this build has a routine of this symbol. Loads no library.
TREADLE_API bool isRoutine(std::string_view symbol);

/// Address of a routine's symbol in this process, or null for an unknown name. Loads libmvec and libsleef on first use;
/// thread-safe. Throws Error if libsleef is needed and missing.
TREADLE_API void *routineAddress(std::string_view symbol);

} // namespace treadle::math
