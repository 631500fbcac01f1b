// bf16: arithmetic, conversions, pairs.
#include "program.h"
#include <cuda_bf16.h>

KERNEL void brain_floats(const float *a, const float *b, const float *c, u16 *out, int *flags, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const __nv_bfloat16 x = __float2bfloat16(a[i]), y = __float2bfloat16(b[i]), z = __float2bfloat16_rz(c[i]);
  u16 *o = out + 9 * i;
  o[0] = __bfloat16_as_ushort(__hadd(x, y));
  o[1] = __bfloat16_as_ushort(__hsub(x, y));
  o[2] = __bfloat16_as_ushort(__hmul(x, y));
  o[3] = __bfloat16_as_ushort(__hfma(x, y, z));
  o[4] = __bfloat16_as_ushort(__hneg(x));
  o[5] = __bfloat16_as_ushort(__hmax(x, z));
  const __nv_bfloat162 pair = __hfma2(__halves2bfloat162(x, y), __floats2bfloat162_rn(b[i], c[i]),
                                      __hadd2(__halves2bfloat162(z, x), __halves2bfloat162(y, y)));
  o[6] = __bfloat16_as_ushort(__low2bfloat16(pair));
  o[7] = __bfloat16_as_ushort(__high2bfloat16(pair));
  o[8] = __bfloat16_as_ushort(__float2bfloat16(__bfloat162float(x) * 1.003f));
  flags[i] = __hlt(x, y);
}

/* launches
needs(90)
launch("brain_floats", 2, 64, floats(100), floats(100), floats(100), zeros("u2", 900), zeros("i4", 100), 100)
*/
