// Stopwatch: measures microseconds of work at half the cost of the system's clock.
#pragma once

#include "support/clock.h"

#include <atomic>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace treadle {

/// Measures from its construction: with the processor's counter once its rate is known, until then with the monotonic
/// clock. For decisions, not for reports: the rate is an estimate.
class Stopwatch {
public:
  Stopwatch() : rate(known.load(std::memory_order_relaxed)), begin(now()) {}

  uint64_t nanoseconds() const {
    const uint64_t end = now();
    if (rate == 0) [[unlikely]] {
      learnRate();
      return end - begin;
    }
    // The counters of two processors may differ by a few ticks.
    return end < begin ? 0 : uint64_t(static_cast<unsigned __int128>(end - begin) * rate >> rateBits);
  }

private:
  static constexpr unsigned rateBits = 32;

  static uint64_t ticks() {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return 0;
#endif
  }
  uint64_t now() const { return rate == 0 ? monotonicNanoseconds() : ticks(); }
  static void learnRate();

  /// Nanoseconds per tick, times 2^rateBits. 0: not known yet, or the ticks are not constant.
  static std::atomic<uint64_t> known;
  const uint64_t rate, begin;
};

} // namespace treadle
