// Reads the settings of the CUDA Array Interface.
#include "python/interop/interface_settings.h"

#include "support/error.h"
#include "support/settings.h"

namespace treadle::python {

namespace {

InterfaceSettings readSettings() {
  InterfaceSettings settings;
  settings.ordersImports = settingInteger(Setting::ArrayInterfaceSync) != 0;
  const std::string shown = settingText(Setting::ArrayInterface);
  if (shown == "off")
    settings.isOffered = false;
  else if (shown == "unordered")
    settings.showsStreams = false;
  else if (shown.size() == 1 && shown[0] >= '0' && shown[0] <= '3')
    settings.version = shown[0] - '0';
  else
    throw UsageError(UsageError::Kind::Value,
                     "TREADLE_CUDA_ARRAY_INTERFACE must be 0, 1, 2, 3, unordered or off, found '" + shown + "'");
  return settings;
}

} // namespace

const InterfaceSettings &InterfaceSettings::instance() {
  static InterfaceSettings settings = readSettings();
  static uint64_t version = settingsVersion();
  if (const uint64_t now = settingsVersion(); now != version) [[unlikely]] {
    settings = readSettings();
    version = now;
  }
  return settings;
}

} // namespace treadle::python
