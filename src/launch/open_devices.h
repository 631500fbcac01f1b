// Opens the devices that the settings select: the one place that knows all kinds of devices.
#pragma once

#include "device/device.h"
#include "support/settings.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace treadle {

using DeviceOpener = std::vector<std::unique_ptr<Device>> (*)();

/// The devices that TREADLE_DEVICE selects, at least one. `others`: further kinds by name, besides Treadle's own.
/// Throws UsageError or DeviceError.
std::vector<std::unique_ptr<Device>> openDevices(const std::map<std::string, DeviceOpener> &others);

/// As many as TREADLE_CPU_DEVICES says.
TREADLE_API std::vector<std::unique_ptr<Device>> openCpuDevices();

/// The target of code for the CPU device. Opens the compiler library only where a setting names a processor.
Target cpuTarget();

/// The features that code for the CPU may need and a machine has not, by LLVM's names.
std::vector<std::string> missingFeatures(const Target &made, const Target &own);

/// Throws UsageError (Value) if a setting is not within these bounds.
int64_t settingInRange(Setting setting, int64_t least, int64_t most);

} // namespace treadle
