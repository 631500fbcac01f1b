// Machine code from PTX, through the driver's linker.
#pragma once

#include "device/cuda/driver/context.h"

#include <string>

namespace treadle::cuda {

/// A cubin for the context's device, which cuModuleLoadDataEx accepts in place of the PTX. `name`: of the linked code,
/// for messages. Within a Current. Throws DeviceError with the driver's log.
std::string linkCubin(Context &context, const std::string &ptx, const std::string &name);

} // namespace treadle::cuda
