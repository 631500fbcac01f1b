// Floats as PTX has them: flushing, saturation, canonical NaNs, directed rounding.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace ptxmachine {

enum class Rounding : uint8_t { Nearest, Zero, Down, Up };

/// Files that use it are compiled with -frounding-math.
class RoundingScope {
public:
  explicit RoundingScope(Rounding rounding) : before(std::fegetround()) {
    static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (modes[static_cast<size_t>(rounding)] != before)
      std::fesetround(modes[static_cast<size_t>(rounding)]);
  }
  ~RoundingScope() {
    if (std::fegetround() != before)
      std::fesetround(before);
  }
  RoundingScope(const RoundingScope &) = delete;

private:
  int before;
};

template <class T> T flushed(T value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
}
inline float canonical(float value) { return std::isnan(value) ? std::bit_cast<float>(0x7FFFFFFFu) : value; }
inline double canonical(double value) { return value; }
/// NaN becomes 0.
template <class T> T saturated01(T value) { return value > 0 ? (value < 1 ? value : T{1}) : T{0}; }

/// The smaller one; -0 is below +0; a NaN gives way to a number.
template <class T> T smaller(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T> T larger(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

// Modifiers in an instruction's flags.
enum FloatFlag : uint32_t {
  RoundMask = 3,
  Ftz = 4,
  Sat = 8,
  PropagateNaN = 16,
  XorSign = 32,
  AbsoluteValues = 64,
  Relu = 128,
  ToInteger = 256
};

} // namespace ptxmachine
