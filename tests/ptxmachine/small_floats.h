// Small floats: f16 and bf16 as bits, and their exact conversions to and from double.
#pragma once

#include "float_math.h"

namespace ptxmachine {

struct SmallFormat {
  int exponentBits, fractionBits;
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  uint16_t canonicalNaN() const { return 0x7FFF; }
};
inline constexpr SmallFormat half{5, 10}, brain{8, 7};

double widened(uint16_t bits, SmallFormat format);
/// Rounded once. Overflow gives an infinity, or the largest number where the rounding says so.
uint16_t narrowed(double value, SmallFormat format, Rounding rounding = Rounding::Nearest);

/// `a * b + c`, whose last bit says that something was cut off: rounding it to fewer bits is then right.
double stickySum(double product, double addend);

} // namespace ptxmachine
