// Floats to integers: every rounding, range and width.
#include "program.h"

#define ROUND(suffix, at)                                                                                              \
  o[at] = __float2int_##suffix(f);                                                                                     \
  o[at + 1] = __float2uint_##suffix(f);                                                                                \
  o[at + 2] = __float2ll_##suffix(f);                                                                                  \
  o[at + 3] = __float2ull_##suffix(f);                                                                                 \
  o[at + 4] = __double2int_##suffix(d);                                                                                \
  o[at + 5] = __double2uint_##suffix(d);                                                                               \
  o[at + 6] = __double2ll_##suffix(d);                                                                                 \
  o[at + 7] = __double2ull_##suffix(d);

KERNEL void to_integers(const float *floats, const double *doubles, s64 *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const float f = floats[i];
  const double d = doubles[i];
  s64 *o = out + 32 * i;
  ROUND(rn, 0)
  ROUND(rz, 8)
  ROUND(rd, 16)
  ROUND(ru, 24)
}

/* launches
f, d = wild("f4", 200), wild("f8", 200)
f[12:20] = [2147483648, 4294967296, -2147483904, 9.223372e18, 1.8446744e19, -1, -0.7, 2147483520]
d[12:20] = [2147483647.5, 4294967295.5, -2147483648.5, 9.223372036854775e18, 1.8446744073709552e19, -1, -0.7, 1e300]
launch("to_integers", 4, 64, f, d, zeros("i8", 6400), 200)
*/
