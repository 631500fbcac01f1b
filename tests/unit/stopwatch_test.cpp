// Stopwatch: before and after the rate of the processor's counter is known.
#include "support/stopwatch.h"

#include <gtest/gtest.h>

namespace {

using treadle::monotonicNanoseconds;
using treadle::Stopwatch;

void spin(uint64_t nanoseconds) {
  for (const uint64_t begin = monotonicNanoseconds(); monotonicNanoseconds() - begin < nanoseconds;)
    ;
}

/// What a stopwatch tells lies between what the clock tells inside of it and around it, but for an error of the rate.
TEST(Stopwatch, AgreesWithTheClock) {
  constexpr double error = 0.1;
  for (int round = 0; round < 40; ++round) {
    const uint64_t before = monotonicNanoseconds();
    const Stopwatch watch;
    const uint64_t begin = monotonicNanoseconds();
    spin(2'000'000);
    const uint64_t inside = monotonicNanoseconds() - begin;
    const uint64_t told = watch.nanoseconds();
    const uint64_t around = monotonicNanoseconds() - before;
    EXPECT_GE(double(told), double(inside) * (1 - error)) << "round " << round;
    EXPECT_LE(double(told), double(around) * (1 + error)) << "round " << round;
  }
}

} // namespace
