// exp and expm1.
#include "math/own/exponential.h"

namespace {

/// x, clamped to where the result still changes. NaN stays.
template <typename V, typename T> [[gnu::always_inline]] inline V clamp(V x, T low, T high) {
  x = x > high ? V(high) : x;
  return x < low ? V(low) : x;
}

/// 2^power * (e^(rest + tail) - 1 + 1 - 2^-power), summed from the largest term, so that each sum rounds only the small
/// terms.
template <typename V, typename T, int count> V exponentialMinusOne(V x, V clamped, const T (&coefficients)[count]) {
  ExponentialParts<V> parts = splitForExponential(clamped);
  V small = multiplyAdd(parts.rest * parts.rest, polynomial(parts.rest, coefficients), parts.tail);
  // Beyond 2^60 the one has no effect, and the power of a normal number suffices.
  V unit = 1 - powerOfTwo(-(parts.power > 60 ? V(60) : parts.power));
  V result = scale((unit + parts.rest) + small, parts.power);
  return x == 0 ? x : result;
}

} // namespace

extern "C" F32 TREADLE_ROUTINE(exp, f32)(F32 x) {
  // A minimax polynomial of (e^x - 1 - x) / x^2, within 2^-23 of e^x: with rounding less than 2 ULP.
  constexpr float coefficients[] = {0x1.fffde8p-2f, 0x1.5557c2p-3f, 0x1.573310p-5f, 0x1.105d6ep-7f};
  ExponentialParts<F32> parts = splitForExponential(clamp(x, -105.0f, 90.0f));
  F32 square = parts.rest * parts.rest;
  return scale(1 + multiplyAdd(square, polynomial(parts.rest, coefficients), parts.rest), parts.power);
}

extern "C" F64 TREADLE_ROUTINE(exp, f64)(F64 x) {
  ExponentialParts<F64> parts = splitForExponential(clamp(x, -746.0, 710.0));
  F64 square = parts.rest * parts.rest;
  return scale(1 + multiplyAdd(square, exponentialSeries(parts.rest), parts.rest), parts.power);
}

extern "C" F32 TREADLE_ROUTINE(expm1, f32)(F32 x) {
  constexpr float coefficients[] = {0x1.000000p-1f, 0x1.555554p-3f,  0x1.5554f6p-5f,
                                    0x1.1112d4p-7f, 0x1.6d3d44p-10f, 0x1.9e7ed0p-13f};
  return exponentialMinusOne(x, clamp(x, -30.0f, 90.0f), coefficients);
}

extern "C" F64 TREADLE_ROUTINE(expm1, f64)(F64 x) {
  constexpr double coefficients[] = {0x1.0000000000000p-1,  0x1.5555555555559p-3,  0x1.555555555554ep-5,
                                     0x1.111111110f60cp-7,  0x1.6c16c16c1a4a4p-10, 0x1.a01a01b037c06p-13,
                                     0x1.a01a019015678p-16, 0x1.71ddf75a74b4cp-19, 0x1.27e50e4d2b747p-22,
                                     0x1.af60b10e26e6dp-26, 0x1.1f2341032b3c4p-29};
  return exponentialMinusOne(x, clamp(x, -50.0, 710.0), coefficients);
}
