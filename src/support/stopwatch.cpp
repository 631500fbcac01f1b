// The rate of the processor's counter, from two samples of it and of the monotonic clock.
#include "support/stopwatch.h"

#include <cmath>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace treadle {

constinit std::atomic<uint64_t> Stopwatch::known{0};

namespace {

/// Whether the counter's rate is constant, independent of the processor's frequency ("invariant TSC").
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

/// Of several samples, the one whose two readings are closest: a thread may be interrupted between them.
template <typename Counter> Look look(Counter ticks) {
  Look best{};
  uint64_t least = ~uint64_t(0);
  for (int attempt = 0; attempt < 4; ++attempt) {
    const Look here{ticks(), monotonicNanoseconds()};
    const uint64_t passed = ticks() - here.ticks;
    if (passed >= least)
      continue;
    least = passed;
    best = here;
  }
  return best;
}

/// Between the two samples.
constexpr uint64_t leastNanoseconds = 20'000'000;
/// Ticks of other lengths, in ns, mean that the machine slept, or the counter was set, between the samples.
constexpr double shortestTick = 0.1, longestTick = 10;

} // namespace

void Stopwatch::learnRate() {
  static const bool isEven = countsEvenly();
  if (!isEven)
    return;
  static const Look first = look(&ticks);
  const Look here = look(&ticks);
  if (here.nanoseconds - first.nanoseconds < leastNanoseconds)
    return;
  const double tick = double(here.nanoseconds - first.nanoseconds) / double(int64_t(here.ticks - first.ticks));
  if (tick >= shortestTick && tick <= longestTick)
    known.store(uint64_t(std::ldexp(tick, rateBits)), std::memory_order_relaxed);
}

} // namespace treadle
