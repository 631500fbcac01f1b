// Extremes of halves, sums that stop at zero.
#include "program.h"
#include <cuda_fp16.h>

KERNEL void half_extremes(const float *a, const float *b, u16 *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const __half x = __float2half(a[i]), y = __float2half(b[i]);
  out[4 * i] = __half_as_ushort(__hmax(x, y));
  out[4 * i + 1] = __half_as_ushort(__hmin(x, y));
  out[4 * i + 2] = __half_as_ushort(__hfma_relu(x, y, x));
  const __half2 pair = __hmin2(__hmax2(__halves2half2(x, y), __half2half2(x)), __half2half2(y));
  out[4 * i + 3] = __half_as_ushort(__low2half(pair)) ^ __half_as_ushort(__high2half(pair));
}

/* launches
needs(80)
launch("half_extremes", 2, 64, floats(100), floats(100), zeros("u2", 400), 100)
*/
