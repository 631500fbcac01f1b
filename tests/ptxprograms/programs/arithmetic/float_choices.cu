// Extremes, signs, classes and comparisons of floats, with NaN, infinities and zeros of both signs.
#include "program.h"

#ifndef __CUDACC__
using std::isfinite, std::isinf, std::isnan, std::signbit;
#endif

template <class T> __device__ int relations(T x, T y) {
  return (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | !(x < y) << 6 |
         !(x >= y) << 7 | isnan(x) << 8 | (isinf(y) != 0) << 9 | (isfinite(x) != 0) << 10 | (signbit(y) != 0) << 11;
}

KERNEL void float_choices(const float *a, const float *b, const double *c, const double *d, float *out, double *wide,
                          int *flags, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const float x = a[i], y = b[i];
  float *o = out + 10 * i;
  o[0] = x == y ? x : fminf(x, y);
  o[1] = x == y ? y : fmaxf(x, y);
  o[2] = fabsf(x);
  o[3] = copysignf(x, y);
  o[4] = __saturatef(x);
  o[5] = fdimf(x, y);
  o[6] = truncf(x);
  o[7] = floorf(x);
  o[8] = ceilf(x);
  o[9] = rintf(x);
  const double u = c[i], v = d[i];
  double *w = wide + 8 * i;
  w[0] = u == v ? u : fmin(u, v);
  w[1] = u == v ? v : fmax(u, v);
  w[2] = fabs(u);
  w[3] = copysign(u, v);
  w[4] = trunc(u);
  w[5] = floor(u);
  w[6] = ceil(u);
  w[7] = rint(u);
  flags[2 * i] = relations(x, y);
  flags[2 * i + 1] = relations(u, v);
}

/* launches
n = 200
a, b, c, d = wild("f4", n), array(wild("f4", n)[::-1]), wild("f8", n), array(wild("f8", n)[::-1])
b[20:40], d[20:40] = a[20:40], c[20:40]
launch("float_choices", 4, 64, a, b, c, d, zeros("f4", 10 * n), zeros("f8", 8 * n), zeros("i4", 2 * n), n)
*/
