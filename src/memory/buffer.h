// Buffer: owns one allocation on a device.
#pragma once

#include "device/device.h"

#include <cstddef>

namespace treadle {

/// Owns one allocation. Released when the last reference goes; shared by all views of it.
class TREADLE_API Buffer {
public:
  /// Throws DeviceError where the device has no such memory left.
  Buffer(Device &device, size_t bytes);
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer();

  char *data() const { return memory; }
  size_t bytes() const { return length; }

private:
  Device &device;
  char *const memory;
  const size_t length;
};

} // namespace treadle
