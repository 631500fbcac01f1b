// Buffer: owns one allocation on a device.
#pragma once

#include "device/device.h"

#include <cstddef>
#include <mutex>
#include <vector>

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

  /// Something that was put on a stream uses it up to this point.
  void use(const StreamPoint &point);
  /// The last unfinished use on each stream.
  std::vector<StreamPoint> unfinishedUses();

private:
  Device &device;
  char *const memory;
  const size_t length;
  std::mutex changing;
  std::vector<StreamPoint> uses; ///< at most one of a stream; guarded by changing
};

} // namespace treadle
