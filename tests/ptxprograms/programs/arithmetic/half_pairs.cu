// Two halves in a word, at once.
#include "program.h"
#include <cuda_fp16.h>

KERNEL void half_pairs(const float2 *a, const float2 *b, const float2 *c, __half2 *out, int *flags, float *sums, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const __half2 x = __floats2half2_rn(a[i].x, a[i].y), y = __floats2half2_rn(b[i].x, b[i].y);
  const __half2 z = __halves2half2(__float2half(c[i].x), __float2half(c[i].y));
  __half2 *o = out + 9 * i;
  o[0] = __hadd2(x, y);
  o[1] = __hsub2(x, y);
  o[2] = __hmul2(x, y);
  o[3] = __hfma2(x, y, z);
  o[4] = __hneg2(x);
  o[5] = __habs2(y);
  o[6] = __lowhigh2highlow(x);
  o[7] = __half2half2(__high2half(z));
  o[8] = __hgt2(x, y);
  flags[i] = __hble2(x, z);
  sums[i] = __low2float(x) + __high2float(y);
}

/* launches
launch("half_pairs", 2, 64, floats(200), floats(200), floats(200), zeros("u2", 1800), zeros("i4", 100),
       zeros("f4", 100), 100)
*/
