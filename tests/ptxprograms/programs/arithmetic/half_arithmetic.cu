// Arithmetic, comparisons and conversions of halves.
#include "program.h"
#include <cuda_fp16.h>

KERNEL void half_arithmetic(const u16 *a, const u16 *b, const u16 *c, u16 *out, int *flags, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const __half x = __ushort_as_half(a[i]), y = __ushort_as_half(b[i]), z = __ushort_as_half(c[i]);
  u16 *o = out + 10 * i;
  o[0] = __half_as_ushort(__hadd(x, y));
  o[1] = __half_as_ushort(__hsub(x, y));
  o[2] = __half_as_ushort(__hmul(x, y));
  o[3] = __half_as_ushort(__hfma(x, y, z));
  o[4] = __hisnan(x) ? 0 : __half_as_ushort(__hneg(x));
  o[5] = __hisnan(x) ? 0 : __half_as_ushort(__habs(x));
  o[6] = __half_as_ushort(__hadd_sat(x, y));
  o[7] = __half_as_ushort(__float2half_rn(__half2float(x) * 1.001f));
  o[8] = __half_as_ushort(__int2half_rn(a[i] * 7 - b[i]));
  o[9] = __half_as_ushort(__double2half(__half2float(x) * 1.0001));
  flags[3 * i] = __hlt(x, y) | __hge(x, y) << 1 | __heq(x, y) << 2 | __hneu(x, y) << 3 | __hisnan(z) << 4;
  flags[3 * i + 1] = __half2int_rz(x);
  flags[3 * i + 2] = __half2int_rn(y);
}

/* launches
a, b, c = (wild("f2", 200).view("u2") for _ in range(3))
launch("half_arithmetic", 4, 64, a, array(b[::-1]), c, zeros("u2", 2000), zeros("i4", 600), 200)
*/
