// The rate of the processor's counter, from two looks at it and at the monotonic clock.
#include "support/stopwatch.h"

#include <cmath>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace treadle {

constinit std::atomic<uint64_t> Stopwatch::known{0};

namespace {

/// Whether the counter's rate never changes, whatever the processor's frequency is ("invariant TSC").
bool countsEvenly() {
#if defined(__x86_64__)
  constexpr unsigned leaf = 0x80000007, invariant = 1u << 8;
  unsigned a, b, c, d;
  return __get_cpuid(leaf, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
#else
  return false;
#endif
}

struct Look {
  uint64_t ticks, nanoseconds;
};

/// Between the two looks.
constexpr uint64_t leastNanoseconds = 20'000'000;
/// Ticks of other lengths, in ns, come from a machine that was asleep, or a counter that was set, between the looks.
constexpr double shortestTick = 0.1, longestTick = 10;

} // namespace

void Stopwatch::learnRate() {
  static const bool isEven = countsEvenly();
  if (!isEven)
    return;
  static const Look first{ticks(), monotonicNanoseconds()};
  const Look here{ticks(), monotonicNanoseconds()};
  if (here.nanoseconds - first.nanoseconds < leastNanoseconds)
    return;
  const double tick = double(here.nanoseconds - first.nanoseconds) / double(int64_t(here.ticks - first.ticks));
  if (tick >= shortestTick && tick <= longestTick)
    known.store(uint64_t(std::ldexp(tick, rateBits)), std::memory_order_relaxed);
}

} // namespace treadle
