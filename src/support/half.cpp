// Rounding to float16 with double arithmetic, which is exact where it matters.
#include "support/half.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace treadle {

namespace {

constexpr int digits = 11;         ///< of the significand
constexpr int leastExponent = -24; ///< of the smallest number above 0, 2^-24
constexpr int bias = 15;           ///< of the exponent as it is stored
constexpr uint16_t infinity = 0x7c00;

} // namespace

uint16_t halfBits(double value) {
  const auto sign = uint16_t(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (magnitude == 0)
    return sign;
  if (magnitude >= 65520) // half way to the next number, if there were one
    return sign | infinity;
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude < 2^exponent
  const int unit = std::max(exponent - digits, leastExponent);
  // Scaling by powers of 2 is exact. The sum with a larger number rounds to the nearest, even one.
  const double scaled = std::ldexp(magnitude, -unit);
  constexpr double shift = 0x1p52;
  const auto whole = uint32_t((scaled + shift) - shift);
  // A full significand has an implicit leading one; a carry runs into the exponent.
  const auto stored = unit == leastExponent ? uint32_t(0) : uint32_t(unit - leastExponent);
  return uint16_t(sign | ((stored << (digits - 1)) + whole));
}

double halfValue(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31)
    return fraction ? std::bit_cast<double>((uint64_t(bits & 0x8000) << 48) | 0x7ff8000000000000) : sign * HUGE_VAL;
  if (exponent == 0)
    return sign * std::ldexp(fraction, leastExponent);
  return sign * std::ldexp(1024 + fraction, exponent - bias - digits + 1);
}

} // namespace treadle
