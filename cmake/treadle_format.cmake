# {fmt}: target treadle_format. Sources include <fmt/core.h>, which declares its functions; headers of src/ include
# nothing of it.
include_guard(GLOBAL)
add_library(treadle_format STATIC "${TREADLE_ROOT}/src/support/format/format.cpp")
treadle_common(treadle_format)
# Messages are the same in every locale, and rare.
target_compile_definitions(treadle_format PRIVATE "FMT_STATIC_THOUSANDS_SEPARATOR=','")
target_compile_options(treadle_format PRIVATE -Os)
