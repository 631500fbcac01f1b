// Functions of double precision.
#include "program.h"

KERNEL void math_doubles(const double *a, const double *b, double *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const double x = a[i], y = b[i], p = fabs(x) + 0.01;
  double *o = out + i;
  const auto put = [&](double value) {
    *o = value;
    o += n;
  };
  put(exp(x));
  put(exp2(x));
  put(expm1(x));
  put(log(p));
  put(log2(p));
  put(log10(p));
  put(log1p(p));
  put(pow(p, y));
  put(rsqrt(p));
  put(cbrt(x));
  put(hypot(x, y));
  put(tanh(x));
  put(sinh(x));
  put(cosh(x));
  put(atan(x));
  put(atan2(x, y));
  put(erf(x));
  put(erfc(x));
  put(normcdf(x));
  put(tgamma(p));
  put(sin(x * 1000));
  put(cos(x * 1000));
  put(tan(x));
  put(asin(x * 0.2));
  put(acos(x * 0.2));
  put(sinpi(x));
}

/* launches
launch("math_doubles", 2, 32, doubles(50), doubles(50), zeros("f8", 1300, ulps=12), 50)
*/
