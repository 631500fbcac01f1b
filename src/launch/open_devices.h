// Opens the devices that the settings ask for: the one place that knows which kinds there are.
#pragma once

#include "device/device.h"
#include "support/settings.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace treadle {

using DeviceOpener = std::vector<std::unique_ptr<Device>> (*)();

/// Those that TREADLE_DEVICE asks for: at least one. `others`: kinds by name, besides those of Treadle itself. Throws
/// UsageError or DeviceError.
std::vector<std::unique_ptr<Device>> openDevices(const std::map<std::string, DeviceOpener> &others);

/// As many as TREADLE_CPU_DEVICES says.
TREADLE_API std::vector<std::unique_ptr<Device>> openCpuDevices();

/// Throws UsageError (Value) where a setting is not within these bounds.
int64_t settingInRange(Setting setting, int64_t least, int64_t most);

} // namespace treadle
