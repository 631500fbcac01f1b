// Properties of one whole launch that change the code.
#pragma once

#include "support/export.h"

#include <bit>
#include <compare>
#include <cstdint>
#include <vector>

namespace treadle {

/// Most elements of an array along one axis. No address space holds more, but arrays with zero strides or empty axes
/// can claim it: such arrays are refused as arguments, and index ranges rely on that.
constexpr int64_t maxExtent = int64_t(1) << 47;

/// Threads of the largest block; Facts::gridFitsInt32 assumes blocks of this size.
constexpr int64_t largestBlock = 1024;

/// CUDA's limits per axis. Ranges rely on them: no device has larger ones.
constexpr int64_t blockLimits[] = {largestBlock, largestBlock, 64};
constexpr int64_t gridLimits[] = {0x7fffffff, 65535, 65535};
constexpr int64_t mostClusterBlocks = 16;

/// Most threads of a block along an axis. `maxThreads`: what launch bounds allow a block; 0 for all that CUDA does.
constexpr int64_t blockLimit(unsigned axis, int64_t maxThreads) {
  return maxThreads != 0 && maxThreads < blockLimits[axis] ? maxThreads : blockLimits[axis];
}

/// All facts in two words: equal exactly when the facts are.
struct FactsKey {
  uint64_t launch, rows;
  auto operator<=>(const FactsKey &) const = default;
};

/// Properties of one whole launch that change code: ranges, overlap, alignment, block class, short rows. Leaving a fact
/// unset is always correct: code made under fewer facts serves every launch.
struct alignas(uint64_t) Facts {
  /// Every linear element offset reachable inside any array argument fits int32, and so does every extent (captured
  /// arrays included).
  bool offsetsFitInt32 = false;
  /// gridDim times the largest block, 1024, fits int32 on each axis: so does everything that kernels compute from
  /// blockIdx and the block size, and so does the number of threads.
  bool gridFitsInt32 = false;
  /// No two arrays among the arguments overlap, and none overlaps itself (no zero stride that is written).
  bool noOverlap = false;
  /// The first element of every array lies at a multiple of 16 bytes.
  bool aligned16 = false;
  /// How threadIdx follows the lanes of a warp. 32: x counts them, and y and z are the same for the whole warp
  /// (blockDim.x is a multiple of 32, or the block has one row). 16, 8, 4: blockDim.x is exactly that, so that a warp
  /// is 32 / blockDim.x whole rows, all with the same z. 1: nothing is known.
  uint8_t blockClass = 1;
  /// blockDim.x * blockDim.y * blockDim.z is a multiple of 32: no warp is partial.
  bool fullWarps = false;
  uint8_t unused[2] = {}; ///< so that no byte of `key` is padding
  /// Short axes of the first `rowArrays` parameters that are arrays of two axes or more in C order: a byte for each,
  /// with the extent of its last axis in the lower half, and of the axis before in the upper. Extents of 2 to 16 count,
  /// less 1; 0 is any other.
  uint64_t rows = 0;
  static constexpr unsigned rowArrays = 8;
  static constexpr int64_t longestRow = 16;

  /// The bits of `rows` for an array and an axis, 0 for the last and 1 for the one before.
  static constexpr uint64_t rowBits(unsigned array, unsigned axis) { return uint64_t(0xf) << (array * 8 + axis * 4); }
  TREADLE_API void setRow(unsigned array, unsigned axis, int64_t extent);
  /// 0: not known.
  TREADLE_API int64_t rowExtent(unsigned array, unsigned axis) const;

  /// Most blocks of a grid along an axis.
  constexpr int64_t gridLimit(unsigned axis) const {
    const int64_t fitting = gridLimits[0] / largestBlock;
    return gridFitsInt32 && fitting < gridLimits[axis] ? fitting : gridLimits[axis];
  }

  bool operator==(const Facts &) const = default;
  constexpr FactsKey key() const { return std::bit_cast<FactsKey>(*this); }
  /// The bits of FactsKey::launch that encode the shape of a block.
  static uint64_t blockShapeKey();
};

/// Where a kernel's arrays are that Facts::rows is about, and which of its bits make a difference to the code.
struct RowArrays {
  std::vector<unsigned> positions; ///< as ParameterLeaf::argument counts them
  uint64_t useful = 0;
};

inline uint64_t Facts::blockShapeKey() {
  Facts shape = std::bit_cast<Facts>(FactsKey{});
  shape.blockClass = 0xff;
  shape.fullWarps = true;
  return shape.key().launch;
}

} // namespace treadle
