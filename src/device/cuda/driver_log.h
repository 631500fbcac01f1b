// Writes each call of the CUDA driver to stderr, where the settings ask for it.
#pragma once

#include "device/cuda/driver_table.h"

namespace treadle::cuda {

/// If the setting says so: from now on the table's functions write what they call, in the form of Python's logging,
/// "== CUDA [12] DEBUG -- call driver api: cuMemAlloc_v2", and call what they were before.
void logCalls(DriverTable &table);

} // namespace treadle::cuda
