// ParameterLayout: how arguments lie in the parameter block of a kernel.
#pragma once

#include <cstdint>
#include <vector>

namespace treadle {

/// One piece of an argument as laid out in the kernel's parameter block, little-endian, naturally aligned.
struct ParameterLeaf {
  enum class Source : uint8_t {
    Scalar,      ///< the value itself; complex: `index` 0 is the real part, 1 the imaginary part; Optional: its value
    HasValue,    ///< Optional: one byte, 1 if there is a value
    Pointer,     ///< array: address of element [0, ..., 0]
    Extent,      ///< array: shape[index], int64, or int32 if the facts say that it fits
    Stride,      ///< array: strides[index] in bytes, int64
    GridBarrier, ///< not part of an argument: the address of a 32-bit word of the launch, initially 0
  };
  Source source = Source::Scalar;
  uint16_t argument = 0; ///< index among the leaves of the flattened arguments (tuples in order, depth first)
  uint8_t index = 0;
  uint8_t bytes = 0;
  uint32_t offset = 0; ///< in the parameter block
};

/// The parameter block. It contains only what the kernel reads.
struct ParameterLayout {
  std::vector<ParameterLeaf> leaves;
  uint32_t size = 0;
  bool operator==(const ParameterLayout &) const = default;
};
inline bool operator==(const ParameterLeaf &a, const ParameterLeaf &b) {
  return a.source == b.source && a.argument == b.argument && a.index == b.index && a.bytes == b.bytes &&
         a.offset == b.offset;
}

} // namespace treadle
