// Launch configurations: grid, block, dynamic shared memory; and the limits of a device.
#pragma once

#include "support/export.h"

#include <cstdint>

namespace treadle {

/// Grid and block of one launch. Valid once `checkLaunchConfig` has returned.
struct LaunchConfig {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t sharedBytes = 0; ///< dynamic shared memory, after the static part
  bool hasCluster = false;  ///< one was requested
  uint32_t cluster[3] = {1, 1, 1};

  bool operator==(const LaunchConfig &) const = default;
  uint32_t threadsPerBlock() const { return block[0] * block[1] * block[2]; }
  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  uint32_t blocksPerCluster() const { return cluster[0] * cluster[1] * cluster[2]; }
};

/// The limits of a device. Shared memory in bytes.
struct LaunchLimits {
  uint32_t threadsPerBlock = 0;
  uint32_t block[3] = {};
  uint32_t grid[3] = {};
  uint32_t staticShared = 0;
  uint32_t shared = 0;        ///< static and dynamic together
  uint32_t clusterBlocks = 0; ///< per cluster; 0: clusters are unsupported
};

/// A launch configuration as a user wrote it, still possibly out of range.
struct RequestedConfig {
  int64_t grid[3] = {1, 1, 1};
  int64_t block[3] = {1, 1, 1};
  int64_t sharedBytes = 0;
  bool hasCluster = false;
  int64_t cluster[3] = {1, 1, 1};
};

/// Whether `config` is the result of checking that request.
inline bool isMadeFrom(const LaunchConfig &config, const RequestedConfig &requested) {
  for (unsigned axis = 0; axis < 3; ++axis)
    if (config.grid[axis] != requested.grid[axis] || config.block[axis] != requested.block[axis])
      return false;
  if (config.hasCluster || requested.hasCluster) [[unlikely]]
    for (unsigned axis = 0; axis < 3; ++axis)
      if (config.hasCluster != requested.hasCluster || config.cluster[axis] != requested.cluster[axis])
        return false;
  return config.sharedBytes == requested.sharedBytes;
}

/// A kernel's launch bounds, on which its code relies; 0: the device's limit.
struct LaunchBounds {
  uint32_t threads = 0;       ///< of a block
  uint32_t clusterBlocks = 0; ///< of a cluster
};

/// Throws UsageError (Value) naming the axis, the value and the limit.
TREADLE_API LaunchConfig checkLaunchConfig(const RequestedConfig &requested, const LaunchLimits &limits,
                                           const LaunchBounds &bounds = {});

/// The same for a configuration already checked against the limits of another device.
TREADLE_API void checkLimits(const LaunchConfig &config, const LaunchLimits &limits);

[[noreturn]] TREADLE_API void failSharedMemory(const LaunchLimits &limits, uint32_t staticBytes, uint32_t dynamicBytes);

/// For a cooperative grid: throws DeviceError (CooperativeLaunchTooLarge). `most`: the number of its blocks that can
/// run at once.
[[noreturn]] TREADLE_API void failTooManyBlocks(const LaunchConfig &config, uint64_t most);

/// Throws UsageError (Value) if a block of that kernel would need more shared memory than the limit.
inline void checkSharedMemory(const LaunchLimits &limits, uint32_t staticBytes, uint32_t dynamicBytes) {
  if (staticBytes > limits.staticShared || uint64_t(staticBytes) + dynamicBytes > limits.shared) [[unlikely]]
    failSharedMemory(limits, staticBytes, dynamicBytes);
}

} // namespace treadle
