// What is true of one whole launch and changes the code.
#pragma once

#include <cstdint>

namespace treadle {

/// Elements that an array may have along one axis. No address space holds more, but zero strides and empty axes can
/// claim it: such arrays are refused as arguments, and index ranges rely on that.
constexpr int64_t maxExtent = int64_t(1) << 47;

/// Threads of the largest block; Facts::gridFitsInt32 is about grids of such blocks.
constexpr int64_t largestBlock = 1024;

/// What is true of one whole launch and changes code: ranges, overlap, alignment, block class.
/// No fact given is always a right answer: code made under fewer facts serves every launch.
struct Facts {
  /// Every linear element offset reachable inside any array argument fits int32, and so does every extent (captured
  /// arrays included).
  bool offsetsFitInt32 = false;
  /// gridDim times the largest block, 1024, fits int32 on each axis: whatever kernels make of blockIdx and the size of
  /// their blocks does, and so does the number of threads.
  bool gridFitsInt32 = false;
  /// No two arrays among the arguments overlap, and none overlaps itself (no zero stride that is written).
  bool noOverlap = false;
  /// The first element of every array lies at a multiple of 16 bytes.
  bool aligned16 = false;
  /// How threadIdx follows the lanes of a warp. 32: x counts them, y and z are the warp's (blockDim.x is a multiple of
  /// 32, or the block has one row). 16, 8, 4: blockDim.x is just that, so that a warp is 32 / that many whole rows, all
  /// of one z. 1: nothing is known.
  uint8_t blockClass = 1;
  /// blockDim.x * blockDim.y * blockDim.z is a multiple of 32: no warp is partial.
  bool fullWarps = false;

  bool operator==(const Facts &) const = default;
  /// The bits of `key` that tell the shape of a block.
  static constexpr uint32_t blockShapeKey = 1u << 4 | 0xffu << 8;
  /// All facts in one number: equal exactly when the facts are.
  uint32_t key() const {
    return uint32_t(offsetsFitInt32) | uint32_t(gridFitsInt32) << 1 | uint32_t(noOverlap) << 2 |
           uint32_t(aligned16) << 3 | uint32_t(fullWarps) << 4 | uint32_t(blockClass) << 8;
  }
};

} // namespace treadle
