// How much memory kernels on the CPU device can have.
#pragma once

#include "support/export.h"

#include <cstddef>

namespace treadle::cpu {

/// What is available on this machine, or what the process's control group may use where that is less; in bytes.
TREADLE_API size_t machineMemory();

} // namespace treadle::cpu
