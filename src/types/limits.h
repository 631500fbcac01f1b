// The limits of arrays, blocks and grids, on which index ranges rely.
#pragma once

#include <cstdint>

namespace treadle {

/// Most elements of an array along one axis. No address space holds more, but arrays with zero strides or empty axes
/// can claim it: such arrays are refused as arguments, and index ranges rely on that.
constexpr int64_t maxExtent = int64_t(1) << 47;

/// Threads of the largest block; Facts::gridFitsInt32 assumes blocks of this size.
constexpr int64_t largestBlock = 1024;

/// CUDA's limits per axis. Ranges rely on them: no device exceeds them.
constexpr int64_t blockLimits[] = {largestBlock, largestBlock, 64};
constexpr int64_t gridLimits[] = {0x7fffffff, 65535, 65535};
constexpr int64_t mostClusterBlocks = 16;

/// Most threads of a block along an axis. `maxThreads`: the limit of the launch bounds; 0: CUDA's own.
constexpr int64_t blockLimit(unsigned axis, int64_t maxThreads) {
  return maxThreads != 0 && maxThreads < blockLimits[axis] ? maxThreads : blockLimits[axis];
}

} // namespace treadle
