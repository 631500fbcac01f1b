// Where NVIDIA's libdevice is, on whose version the code for PTX depends.
#pragma once

#include "support/export.h"

#include <string>

namespace treadle {

constexpr const char *libdeviceName = "libdevice.10.bc";

/// The path that TREADLE_LIBDEVICE names, or that of an installed one; empty: there is none.
TREADLE_API std::string libdevicePath();

/// Its bytes; empty if it cannot be read.
TREADLE_API std::string libdeviceBytes(const std::string &path);

} // namespace treadle
