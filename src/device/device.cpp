// Anchors the abstract device classes in this library.
#include "device/device.h"

namespace treadle {

Kernel::~Kernel() = default;
Module::~Module() = default;
Stream::~Stream() = default;
Device::~Device() = default;

} // namespace treadle
