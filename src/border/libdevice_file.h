// Location of NVIDIA's libdevice, whose version affects the code for PTX.
#pragma once

#include "support/export.h"

#include <string>

namespace treadle {

constexpr const char *libdeviceName = "libdevice.10.bc";

/// The path in TREADLE_LIBDEVICE, or that of an installed copy; empty: there is none.
TREADLE_API std::string libdevicePath();

/// Its bytes; empty if it cannot be read.
TREADLE_API std::string libdeviceBytes(const std::string &path);

} // namespace treadle
