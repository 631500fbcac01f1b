// TREADLE_DUMP: writes the stages of each compilation as text files.
#pragma once

#include "border/image.h"

#include <string>
#include <string_view>

namespace treadle {

/// The folder that TREADLE_DUMP names; empty if nothing is to be written.
std::string dumpFolder();

/// Writes <folder>/<function>.<n>.<stage>.txt for every stage of the image, n counting this process's compilations.
/// A folder that cannot be written to is reported on stderr, and the compilation continues.
void dumpStages(const std::string &folder, std::string_view function, const Image &image);

} // namespace treadle
