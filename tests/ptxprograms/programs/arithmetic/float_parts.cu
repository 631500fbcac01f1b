// Floats taken apart and put together: bits, exponents, fractions, remainders, next neighbours.
#include "program.h"

KERNEL void float_parts(const float *a, const double *b, float *out, double *wide, int *words, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const float x = a[i];
  const double u = b[i];
  int exponent, wideExponent;
  out[6 * i] = frexpf(x, &exponent);
  out[6 * i + 1] = ldexpf(x, 7);
  out[6 * i + 2] = scalbnf(x, -130);
  out[6 * i + 3] = nextafterf(x, 1.0f);
  out[6 * i + 4] = __int_as_float(__float_as_int(x) ^ 0x80000001);
  out[6 * i + 5] = fmodf(x, 3.7f);
  wide[5 * i] = frexp(u, &wideExponent);
  wide[5 * i + 1] = ldexp(u, -1040);
  wide[5 * i + 2] = __hiloint2double(__double2loint(u) & 0x7FEFFFFF, __double2hiint(u));
  wide[5 * i + 3] = fmod(u, 0.3);
  wide[5 * i + 4] = __longlong_as_double(__double_as_longlong(u) + 3);
  words[4 * i] = exponent;
  words[4 * i + 1] = wideExponent;
  words[4 * i + 2] = ilogbf(x);
  words[4 * i + 3] = __float_as_uint(x) >> 23;
}

/* launches
a, b = floats(100, -1e3, 1e3), doubles(100, -1e3, 1e3)
a[:6], b[:6] = [1e-40, -1e-45, 3e38, 1, -0.5, 1e20], [1e-310, -5e-324, 1e308, 1, -0.5, 1e20]
launch("float_parts", 2, 64, a, b, zeros("f4", 600), zeros("f8", 500), zeros("i4", 400), 100)
*/
