// PinnedRanges: host memory that is registered with a device as page-locked.
#pragma once

#include "device/device.h"

#include <map>
#include <mutex>
#include <span>

namespace treadle {

/// The ranges of one device, which never overlap.
class TREADLE_API PinnedRanges {
public:
  /// The device outlives it.
  explicit PinnedRanges(Device &device) : device(device) {}
  PinnedRanges(const PinnedRanges &) = delete;
  PinnedRanges &operator=(const PinnedRanges &) = delete;

  /// Throws DeviceError (HostMemoryAlreadyRegistered) if part of the memory is already pinned. An empty range does
  /// nothing.
  void pin(std::span<char> memory);
  /// Takes exactly a range that was pinned. If it throws DeviceError, the range is no longer pinned either.
  void unpin(std::span<char> memory);

private:
  Device &device;
  std::mutex mutex;
  std::map<const char *, const char *> ends; ///< end of each range, by its beginning
};

} // namespace treadle
