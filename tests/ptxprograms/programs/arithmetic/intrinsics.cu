// Fast functions: one approximate instruction, or a few.
#include "program.h"

KERNEL void intrinsics(const float *a, const float *b, float *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const float x = a[i], y = b[i], p = fabsf(x) + 0.1f;
  out[i] = __expf(x);
  out[n + i] = __logf(p + 1.5f);
  out[2 * n + i] = __log2f(p + 1.5f);
  out[3 * n + i] = __powf(p, y);
  out[4 * n + i] = __fdividef(x, y);
  out[5 * n + i] = __exp10f(x);
  out[6 * n + i] = __frsqrt_rn(p);
  out[7 * n + i] = rsqrtf(p);
}
KERNEL void waves(const float *a, float *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  out[i] = __sinf(a[i]);
  out[n + i] = __cosf(a[i]);
}

/* launches
launch("intrinsics", 2, 64, floats(100), floats(100), zeros("f4", 800, ulps=40), 100)
launch("waves", 2, 64, floats(100, -3, 3), zeros("f4", 200, near_zero=1e-6), 100)
*/
