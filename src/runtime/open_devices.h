// Opens the devices that the settings select: the only code that knows all kinds of devices.
#pragma once

#include "device/device.h"
#include "support/settings.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace treadle {

struct Target;

using DeviceOpener = std::vector<std::unique_ptr<Device>> (*)();

/// The devices that TREADLE_DEVICE selects, at least one. `others`: further kinds by name, besides Treadle's own.
/// Throws UsageError or DeviceError.
std::vector<std::unique_ptr<Device>> openDevices(const std::map<std::string, DeviceOpener> &others);

/// As many as TREADLE_CPU_DEVICES says.
TREADLE_API std::vector<std::unique_ptr<Device>> openCpuDevices();

/// The target of code for the CPU device. Loads the compiler library only if a setting names a processor.
Target cpuTarget();

/// The features, by LLVM's names, that code for the CPU may need and a machine lacks.
std::vector<std::string> missingFeatures(const Target &made, const Target &own);

/// Throws UsageError (Value) if a setting is not within these bounds.
int64_t settingInRange(Setting setting, int64_t least, int64_t most);

} // namespace treadle
