// How a kernel is launched: grid, block, dynamic shared memory; and what CUDA allows of them.
#pragma once

#include "support/export.h"

#include <cstdint>

namespace treadle {

/// Grid and block of one launch. Valid once `checkLaunchConfig` has returned.
struct LaunchConfig {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t sharedBytes = 0; ///< dynamic shared memory, after the static part

  bool operator==(const LaunchConfig &) const = default;
  uint32_t threadsPerBlock() const { return block[0] * block[1] * block[2]; }
};

/// CUDA's limits, the same on every device of ours.
namespace limits {
constexpr uint32_t threadsPerBlock = 1024;
constexpr uint32_t block[3] = {1024, 1024, 64};
constexpr uint32_t grid[3] = {0x7fffffff, 65535, 65535};
constexpr uint32_t staticShared = 48 << 10;
/// Static and dynamic together.
constexpr uint32_t shared = 227 << 10;
/// Bytes of a kernel's parameter block.
constexpr uint32_t parameterBytes = 32764;
} // namespace limits

/// A launch configuration as a user wrote it, still possibly out of range.
struct RequestedConfig {
  int64_t grid[3] = {1, 1, 1};
  int64_t block[3] = {1, 1, 1};
  int64_t sharedBytes = 0;
};

/// Throws UsageError (Value) naming the axis, the value and the limit. `mostThreads`: of a block, which the kernel's
/// launch bounds allow and its code relies on; 0: as many as CUDA does.
TREADLE_API LaunchConfig checkLaunchConfig(const RequestedConfig &requested, uint32_t mostThreads = 0);

/// Throws UsageError (Value) where a block of that kernel would need more shared memory than there is.
TREADLE_API void checkSharedMemory(uint32_t staticBytes, uint32_t dynamicBytes);

} // namespace treadle
