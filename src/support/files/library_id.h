// Library ids: the linker's hash of all bytes of a library (the GNU build id), which any change of its sources changes.
#pragma once

#include "support/export.h"

#include <string>

namespace treadle {

/// Of the loaded library that contains `address`. Empty: it was linked without one. Reads only memory: the file may
/// have been replaced since it was loaded.
TREADLE_API std::string loadedLibraryId(const void *address);

/// Of a library's file, which is not loaded. Also empty if it cannot be read.
TREADLE_API std::string libraryFileId(const std::string &path);

} // namespace treadle
