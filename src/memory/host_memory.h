// PinnedRanges: memory of the host that a device knows as page-locked.
#pragma once

#include "device/device.h"

#include <map>
#include <mutex>
#include <span>

namespace treadle {

/// The ranges of one device, no two of which overlap.
class TREADLE_API PinnedRanges {
public:
  /// The device outlives it.
  explicit PinnedRanges(Device &device) : device(device) {}
  PinnedRanges(const PinnedRanges &) = delete;
  PinnedRanges &operator=(const PinnedRanges &) = delete;

  /// Throws DeviceError (HostMemoryAlreadyRegistered) where some of the memory is pinned already. Without bytes nothing
  /// happens.
  void pin(std::span<char> memory);
  /// What was pinned: all of it, as it was. Throws DeviceError; it is then not pinned any more, either.
  void unpin(std::span<char> memory);

private:
  Device &device;
  std::mutex mutex;
  std::map<const char *, const char *> ends; ///< of ranges, by their beginnings
};

} // namespace treadle
