// Device attributes: the names and numbers of CUDA's enumeration CU_DEVICE_ATTRIBUTE_*.
#pragma once

#include "support/export.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace treadle {

/// Numbered as in the CUDA driver. All numbers of the table are valid; only those that code refers to are named here.
enum class DeviceAttribute : uint16_t {
  ClockRate = 13,
  MultiprocessorCount = 16,
  AsyncEngineCount = 40,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
};

struct DeviceAttributeRow {
  uint16_t number;
  std::string_view name; ///< without "CU_DEVICE_ATTRIBUTE_"
};

TREADLE_API std::span<const DeviceAttributeRow> deviceAttributes();

} // namespace treadle
