// sinh and cosh of float64.
#include "math/own/exponential.h"

namespace {

/// e^|x| / 2 as the sum of two numbers, and e^-|x| / 2. Halved, so that only the result can overflow.
struct Halves {
  F64 growing, low, shrinking;
};

Halves halfExponentials(F64 x) {
  F64 magnitude = absolute(x);
  ExponentialParts<F64> parts = splitForExponential(magnitude > 711 ? F64(711) : magnitude);
  F64 square = parts.rest * parts.rest;
  F64 rest = parts.rest + multiplyAdd(square, exponentialSeries(parts.rest), parts.tail);
  F64 sum = 1 + rest;
  F64 growing = scale(sum, parts.power - 1);
  return {growing, scale(rest - (sum - 1), parts.power - 1), 0.25 / growing};
}

/// (sinh x - x) / x^3 of the square of x, for |x| <= 1.
F64 sinhSeries(F64 square) {
  constexpr double coefficients[] = {0x1.5555555555555p-3,  0x1.111111111119bp-7,  0x1.a01a01a00731bp-13,
                                     0x1.71de3a68da371p-19, 0x1.ae64410fe9ca5p-26, 0x1.61315db4436c0p-33,
                                     0x1.a657af310f0d9p-41, 0x1.d4c9dcf3d079cp-48};
  return polynomial(square, coefficients);
}

} // namespace

extern "C" F64 TREADLE_ROUTINE(cosh, f64)(F64 x) {
  Halves halves = halfExponentials(x);
  return halves.growing + (halves.shrinking + halves.low);
}

extern "C" F64 TREADLE_ROUTINE(sinh, f64)(F64 x) {
  Halves halves = halfExponentials(x);
  F64 large = withSign(halves.growing - (halves.shrinking - halves.low), x);
  F64 square = x * x;
  F64 small = multiplyAdd(x * square, sinhSeries(square), x);
  small = x == 0 ? x : small;
  return absolute(x) < 1 ? small : large;
}
