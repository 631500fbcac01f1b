// The worst value within an error, one way or the other.
#include "approximation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ptxmachine {

namespace {

thread_local uint64_t current = 1;

/// splitmix64
uint64_t hash(uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

} // namespace

void setApproximationSeed(uint64_t seed) { current = seed; }
uint64_t approximationSeed() { return current; }

float approximated(double exact, double error, uint64_t operand) {
  const auto nearest = static_cast<float>(exact);
  if (!std::isfinite(nearest) || nearest == exact)
    return nearest;
  const bool isUp = hash(current ^ hash(operand)) & 1;
  const double wanted = isUp ? exact + error : exact - error;
  auto result = static_cast<float>(wanted);
  // Rounding must not leave the interval.
  if (isUp && result > wanted)
    result = std::nextafter(result, -std::numeric_limits<float>::infinity());
  if (!isUp && result < wanted)
    result = std::nextafter(result, std::numeric_limits<float>::infinity());
  if (!std::isfinite(result) || std::signbit(result) != std::signbit(nearest) || std::abs(result - exact) > error)
    return nearest;
  return result;
}

float approximatedUlps(double exact, double ulps, uint64_t operand) {
  const auto nearest = static_cast<float>(std::abs(exact));
  if (!std::isfinite(nearest) || nearest == 0)
    return static_cast<float>(exact);
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
  return approximated(exact, ulps * unit, operand);
}

} // namespace ptxmachine
