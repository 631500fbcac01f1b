// The monotonic clock.
#pragma once

#include <cstdint>
#include <ctime>

namespace treadle {

/// Cheap enough for each launch: some 20 ns.
inline uint64_t monotonicNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

} // namespace treadle
