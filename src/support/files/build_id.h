// The build id: libraries of different builds have different ids and refuse each other.
#pragma once

#include "support/export.h"

namespace treadle {

/// The id that the including file was compiled with.
inline constexpr const char *ownBuildId =
#if __has_include("build_id.inc")
#include "build_id.inc"
#else
    "unknown"
#endif
    ;

/// The id of the libtreadle.so that is loaded.
TREADLE_API const char *buildId();

} // namespace treadle
