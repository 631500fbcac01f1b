// Rounding of doubles to f16 and bf16.
#include "small_floats.h"

namespace ptxmachine {

double widened(uint16_t bits, SmallFormat format) {
  const int fraction = bits & ((1 << format.fractionBits) - 1),
            exponent = bits >> format.fractionBits & ((1 << format.exponentBits) - 1);
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == (1 << format.exponentBits) - 1)
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  const int scale = (exponent ? exponent : 1) - format.bias() - format.fractionBits;
  return sign * std::ldexp(fraction + (exponent ? 1 << format.fractionBits : 0), scale);
}

uint16_t narrowed(double value, SmallFormat format, Rounding rounding) {
  if (std::isnan(value))
    return format.canonicalNaN();
  const bool isNegative = std::signbit(value);
  const auto sign = static_cast<uint16_t>(isNegative ? 0x8000 : 0);
  const auto infinity = static_cast<uint16_t>(((1 << format.exponentBits) - 1) << format.fractionBits);
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude is below 2^exponent
  const int lowest = 1 - format.bias();
  const int unit = (exponent - 1 < lowest ? lowest : exponent - 1) - format.fractionBits;
  const double scaled = std::ldexp(magnitude, -unit), whole = std::floor(scaled), rest = scaled - whole;
  bool isUp = false;
  if (rounding == Rounding::Nearest)
    isUp = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0);
  else if (rounding != Rounding::Zero)
    isUp = rest > 0 && (rounding == Rounding::Up) != isNegative;
  const double rounded = std::ldexp(whole + (isUp ? 1 : 0), unit);
  const double largest = std::ldexp(2 - std::ldexp(1.0, -format.fractionBits), format.bias());
  if (rounded > largest) {
    const bool isInfinite =
        rounding == Rounding::Nearest || (rounding != Rounding::Zero && (rounding == Rounding::Up) != isNegative);
    return sign | static_cast<uint16_t>(isInfinite ? infinity : infinity - 1);
  }
  if (rounded == 0)
    return sign;
  std::frexp(rounded, &exponent);
  const bool isNormal = exponent - 1 >= lowest;
  const int finalUnit = (isNormal ? exponent - 1 : lowest) - format.fractionBits;
  const int digits = static_cast<int>(std::ldexp(rounded, -finalUnit)) & ((1 << format.fractionBits) - 1);
  const int field = isNormal ? exponent - 1 + format.bias() : 0;
  return sign | static_cast<uint16_t>(field << format.fractionBits | digits);
}

double stickySum(double product, double addend) {
  const double sum = product + addend;
  if (!std::isfinite(sum))
    return sum;
  const double back = sum - product;
  const double error = (product - (sum - back)) + (addend - back);
  const auto bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1))
    return sum;
  // Between two doubles: the odd one of them.
  return std::nextafter(sum,
                        error > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
}

} // namespace ptxmachine
