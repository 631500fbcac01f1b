// The gamma function of float32, where SLEEF's is far off near negative integers.
#include "math/own/vector.h"

namespace {

constexpr int half = lanes<float> / 2;
using Wide = Vector<double, half>;
using Half = Vector<float, half>;

/// A minimax polynomial of gamma(1.5 + t), |t| <= 0.5, within 2.2e-10.
constexpr double coefficients[] = {
    0x1.c5bf891b4ef6bp-1,  0x1.08ea8b01f08f3p-5,  0x1.a8c4db79d1290p-2,  -0x1.b77b359dc9eafp-4, 0x1.283bfa133c608p-3,
    -0x1.3d7a7a2b888fap-4, 0x1.e00f9913b0ef1p-5,  -0x1.38d1ca5e420e6p-5, 0x1.a95583594cd62p-6,  -0x1.06bf567aacfc1p-6,
    0x1.5fa9b8e87165dp-7,  -0x1.6f9eae290f62ep-7, 0x1.ea84b4ec28812p-8};

/// From the interval [1, 2) by gamma(x + 1) == x * gamma(x). A factor that is small is exact, as x is a float32.
Wide gammaOf(Wide x) {
  Wide steps = __builtin_elementwise_floor(x) - 1;
  Wide base = x - steps;
  Wide first = steps > 0 ? base : x, count = absolute(steps);
  Wide product = Wide(1);
  for (Wide step = Wide(0); any(step < count); step += 1)
    product *= step < count ? first + step : Wide(1);
  Wide value = polynomial(base - 1.5, coefficients);
  return steps > 0 ? value * product : value / product;
}

} // namespace

extern "C" F32 TREADLE_ROUTINE(tgamma, f32)(F32 x) {
  // Beyond these the results are infinite, and 0.
  F32 clamped = x < -46 ? F32(-45.5f) : x > 37 ? F32(37) : x;
  clamped = x != x ? F32(1) : clamped;
  F32 result = join<float, half>(convert<Half>(gammaOf(convert<Wide>(clamped.lo))),
                                 convert<Half>(gammaOf(convert<Wide>(clamped.hi))));
  result = ((x < 0) & (x == __builtin_elementwise_floor(x))) ? F32(__builtin_nanf("")) : result;
  // A sum has lost the sign of -0.0.
  result = x == 0 ? 1 / x : result;
  return x != x ? x : result;
}
