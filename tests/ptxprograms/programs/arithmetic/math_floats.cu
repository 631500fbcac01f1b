// Functions of single precision, within what their instructions' errors add up to.
#include "program.h"

KERNEL void math_floats(const float *a, const float *b, float *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const float x = a[i], y = b[i], p = fabsf(x) + 0.01f;
  float *o = out + i;
  const auto put = [&](float value) {
    *o = value;
    o += n;
  };
  put(expf(x));
  put(exp2f(x));
  put(exp10f(x));
  put(expm1f(x));
  put(logf(p));
  put(log2f(p));
  put(log10f(p));
  put(log1pf(p));
  put(powf(p, y));
  put(sqrtf(p));
  put(rsqrtf(p));
  put(cbrtf(x));
  put(hypotf(x, y));
  put(tanhf(x));
  put(sinhf(x));
  put(coshf(x));
  put(asinhf(x));
  put(atanf(x));
  put(atan2f(x, y));
  put(erff(x));
  put(x / y);
}
KERNEL void math_waves(const float *a, float *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  float s, c;
  sincosf(a[i], &s, &c);
  out[i] = s;
  out[n + i] = c;
  out[2 * n + i] = sinf(a[i]);
  out[3 * n + i] = cosf(a[i]);
  out[4 * n + i] = tanf(a[i] * 0.1f);
  out[5 * n + i] = sinpif(a[i]);
  out[6 * n + i] = cospif(a[i]);
  out[7 * n + i] = acosf(a[i] * 1e-6f);
  out[8 * n + i] = asinf(a[i] * 1e-6f);
}

/* launches
launch("math_floats", 2, 64, floats(100), floats(100), zeros("f4", 2100, ulps=8), 100)
a = floats(100, -30, 30); a[:5] = [0, 1e5, -3e5, 12345.678, 0.5]
launch("math_waves", 2, 64, a, zeros("f4", 900, ulps=6, near_zero=2e-7), 100)
fast(1e-3)
*/
