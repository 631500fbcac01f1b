// Logs each call of the CUDA driver to stderr, if the settings ask for it.
#pragma once

#include "device/cuda/driver/driver_table.h"

namespace treadle::cuda {

/// If the setting is on: wraps the table's functions to log their calls, in the format of Python's logging, "== CUDA
/// [12] DEBUG -- call driver api: cuMemAlloc_v2", before calling the original ones.
void logCalls(DriverTable &table);

} // namespace treadle::cuda
