// Sums, products, quotients, roots and fused operations with every rounding.
#include "program.h"

#define ROUND(T, letter, fused, suffix, at)                                                                            \
  o[at] = __##letter##add_##suffix(x, y);                                                                              \
  o[at + 1] = __##letter##sub_##suffix(x, y);                                                                          \
  o[at + 2] = __##letter##mul_##suffix(x, y);                                                                          \
  o[at + 3] = __##letter##div_##suffix(x, y);                                                                          \
  o[at + 4] = __##letter##rcp_##suffix(x);                                                                             \
  o[at + 5] = __##letter##sqrt_##suffix(x);                                                                            \
  o[at + 6] = __##fused##_##suffix(x, y, z);

KERNEL void round_floats(const float *a, const float *b, const float *c, float *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const float x = a[i], y = b[i], z = c[i];
  float *o = out + 28 * i;
  ROUND(float, f, fmaf, rn, 0)
  ROUND(float, f, fmaf, rz, 7)
  ROUND(float, f, fmaf, rd, 14)
  ROUND(float, f, fmaf, ru, 21)
}
KERNEL void round_doubles(const double *a, const double *b, const double *c, double *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const double x = a[i], y = b[i], z = c[i];
  double *o = out + 28 * i;
  ROUND(double, d, fma, rn, 0)
  ROUND(double, d, fma, rz, 7)
  ROUND(double, d, fma, rd, 14)
  ROUND(double, d, fma, ru, 21)
}

/* launches
launch("round_floats", 4, 64, wild("f4", 200), array(wild("f4", 200)[::-1]), wild("f4", 200), zeros("f4", 5600), 200)
launch("round_doubles", 4, 64, wild("f8", 200), array(wild("f8", 200)[::-1]), wild("f8", 200), zeros("f8", 5600), 200)
*/
