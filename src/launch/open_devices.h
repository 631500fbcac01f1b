// Opens the devices that the settings ask for: the one place that knows which kinds there are.
#pragma once

#include "device/device.h"
#include "support/settings.h"

#include <memory>
#include <vector>

namespace treadle {

/// At least one. Throws UsageError or DeviceError.
std::vector<std::unique_ptr<Device>> openDevices();

/// Throws UsageError (Value) where a setting is not within these bounds.
int64_t settingInRange(Setting setting, int64_t least, int64_t most);

} // namespace treadle
