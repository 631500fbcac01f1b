// Attributes of the CPU device that do not depend on the machine.
#pragma once

#include <cstdint>

namespace treadle {
enum class DeviceAttribute : uint16_t;
}

namespace treadle::cpu {

/// Throws UsageError (Value) if no attribute has that number.
int64_t constantAttribute(DeviceAttribute attribute);

} // namespace treadle::cpu
