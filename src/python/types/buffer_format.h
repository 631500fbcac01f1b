// Formats of the buffer protocol (struct module's codes) as number types.
#pragma once

#include "launch/type_code.h"

#include <cstddef>

namespace treadle::python {

/// One number per item in native byte order, or None. `format` nullptr means bytes.
NumberCode numberOfFormat(const char *format, size_t itemBytes);

} // namespace treadle::python
