// Lanes: one register of a warp, 64 bits for each of its 32 lanes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace ptxmachine {

constexpr unsigned warpSize = 32;
using LaneMask = uint32_t;
constexpr LaneMask allLanes = ~LaneMask{0};

/// Instructions read the low bits that their type needs; results are extended to 64 bits by the type's sign, so that
/// loads and conversions into wider registers need nothing more. Predicates are 0 and 1.
struct alignas(64) Lanes {
  uint64_t at[warpSize];

  template <class T> T get(unsigned lane) const {
    if constexpr (sizeof(T) == 8)
      return std::bit_cast<T>(at[lane]);
    else if constexpr (sizeof(T) == 4)
      return std::bit_cast<T>(static_cast<uint32_t>(at[lane]));
    else if constexpr (sizeof(T) == 2)
      return std::bit_cast<T>(static_cast<uint16_t>(at[lane]));
    else
      return std::bit_cast<T>(static_cast<uint8_t>(at[lane]));
  }
  template <class T> void set(unsigned lane, T value) { at[lane] = widened(value); }

  template <class T> static uint64_t widened(T value) {
    if constexpr (sizeof(T) == 8)
      return std::bit_cast<uint64_t>(value);
    else if constexpr (__is_integral(T))
      return static_cast<uint64_t>(value); // sign-extends signed types
    else if constexpr (sizeof(T) == 4)
      return std::bit_cast<uint32_t>(value);
    else
      return std::bit_cast<uint16_t>(value);
  }
};

/// Calls `f(lane)` for each lane of the mask, in order.
template <class F> void forLanes(LaneMask mask, F f) {
  for (; mask; mask &= mask - 1)
    f(static_cast<unsigned>(std::countr_zero(mask)));
}

} // namespace ptxmachine
