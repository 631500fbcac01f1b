// How much memory is available to kernels on the CPU device.
#pragma once

#include "support/export.h"

#include <cstddef>

namespace treadle::cpu {

/// The memory available on this machine, or the limit of the process's control group if that is less; in bytes.
TREADLE_API size_t machineMemory();

} // namespace treadle::cpu
