// The math library of PTX code where NVIDIA's libdevice is not found: libclc's functions under libdevice's names, and
// our own where libclc's are over CUDA's error bounds. Compiled to bitcode for nvptx64 when treadle is built.

#define INFINITE __builtin_inf()

// device_math_power.c
double __nv_pow(double, double);

// libclc's functions have C++ names of OpenCL's overloads: _Z3expf, _Z5atan2dd.
#define LIBCLC1(length, name)                                                                                          \
  float _Z##length##name##f(float);                                                                                    \
  double _Z##length##name##d(double);
#define LIBCLC2(length, name)                                                                                          \
  float _Z##length##name##ff(float, float);                                                                            \
  double _Z##length##name##dd(double, double);

#define TAKE1_F32(length, name)                                                                                        \
  float __nv_##name##f(float x) { return _Z##length##name##f(x); }
#define TAKE1_F64(length, name)                                                                                        \
  double __nv_##name(double x) { return _Z##length##name##d(x); }
// An odd function that libclc gives -0.0 a positive zero for.
#define TAKE_ODD_F64(length, name)                                                                                     \
  double __nv_##name(double x) { return x == 0 ? x : _Z##length##name##d(x); }
#define TAKE1(length, name)                                                                                            \
  LIBCLC1(length, name)                                                                                                \
  TAKE1_F32(length, name)                                                                                              \
  TAKE1_F64(length, name)
#define TAKE_ODD(length, name)                                                                                         \
  LIBCLC1(length, name)                                                                                                \
  TAKE1_F32(length, name)                                                                                              \
  TAKE_ODD_F64(length, name)
#define TAKE2(length, name)                                                                                            \
  LIBCLC2(length, name)                                                                                                \
  float __nv_##name##f(float x, float y) { return _Z##length##name##ff(x, y); }                                        \
  double __nv_##name(double x, double y) { return _Z##length##name##dd(x, y); }

TAKE1(4, acos)
TAKE1(4, asin)
TAKE_ODD(4, atan)
TAKE1(5, acosh)
TAKE1(4, cbrt)
TAKE1(5, asinh)
TAKE1(5, atanh)
TAKE1(3, cos)
TAKE_ODD(3, sin)
TAKE_ODD(3, tan)
TAKE1(4, tanh)
TAKE_ODD(5, expm1)
TAKE1(3, log)
TAKE1(5, log10)
TAKE1(5, log1p)
TAKE_ODD(3, erf)
TAKE2(5, atan2)
TAKE2(5, hypot)

// cosh and sinh of float64 read past the end of a table for NaN and beyond the overflow at 710.5.
LIBCLC1(4, cosh)
LIBCLC1(4, sinh)
TAKE1_F32(4, cosh)
TAKE1_F32(4, sinh)
double __nv_cosh(double x) {
  double magnitude = __builtin_fabs(x);
  return magnitude < 711 ? _Z4coshd(magnitude) : magnitude * INFINITE;
}
double __nv_sinh(double x) { return __builtin_fabs(x) < 711 ? _Z4sinhd(x) : x * INFINITE; }

// libclc's expf and exp2f give 0 where the result is subnormal. This is 2 to the power, times exp(rest).
static float scaled_exp(float power, float rest) {
  // A minimax polynomial on |rest| <= 0.35.
  float sum = 0x1.6a59dap-10f;
  sum = __builtin_fmaf(sum, rest, 0x1.123e46p-7f);
  sum = __builtin_fmaf(sum, rest, 0x1.5558aep-5f);
  sum = __builtin_fmaf(sum, rest, 0x1.55548cp-3f);
  sum = __builtin_fmaf(sum, rest, 0x1.fffffcp-2f);
  sum = __builtin_fmaf(sum * rest, rest, rest) + 1;
  // In two factors, each a normal number; only the second multiplication can round, once.
  int exponent = power == power ? (int)power : 0;
  int half = exponent >> 1;
  return sum * __builtin_bit_cast(float, (half + 127) << 23) * __builtin_bit_cast(float, (exponent - half + 127) << 23);
}
double _Z3expd(double);
TAKE1_F64(3, exp)
float __nv_expf(float x) {
  // Beyond these the result no longer changes; NaN stays, as it compares with nothing.
  float clamped = x < -110 ? -110 : x > 100 ? 100 : x;
  float power = __builtin_rintf(clamped * 0x1.715476p+0f);
  float rest = __builtin_fmaf(power, -0x1.62e400p-1f, clamped);
  return scaled_exp(power, __builtin_fmaf(power, -0x1.7f7d1cp-20f, rest));
}
double _Z4exp2d(double);
TAKE1_F64(4, exp2)
float __nv_exp2f(float x) {
  float clamped = x < -160 ? -160 : x > 140 ? 140 : x;
  float power = __builtin_rintf(clamped);
  return scaled_exp(power, (clamped - power) * 0x1.62e430p-1f);
}

// libclc's erfc of float32 is 64 ULP off near 8 and gives 0 for subnormal results.
double _Z4erfcd(double);
TAKE1_F64(4, erfc)
float __nv_erfcf(float x) { return (float)_Z4erfcd(x); }

// libclc's fmod is wrong for subnormal divisors and for the largest numbers. This one is exact: the quotient has at
// most as many bits as a significand, one too large at most, and the fused product leaves nothing to round.
#define FMOD(name, type, suffix, bits, mantissa, bias)                                                                 \
  static int exponent_##suffix(type value) { return (int)(__builtin_bit_cast(bits, value) >> mantissa) - bias; }       \
  static type power_##suffix(int exponent) { return __builtin_bit_cast(type, (bits)(exponent + bias) << mantissa); }   \
  type name(type x, type y) {                                                                                          \
    type rest = __builtin_elementwise_abs(x), divisor = __builtin_elementwise_abs(y);                                  \
    if (rest < divisor || x != x || y != y)                                                                            \
      return x != x || y != y ? x + y : x;                                                                             \
    if (divisor == 0 || rest == (type)INFINITE)                                                                        \
      return (type)__builtin_nan("");                                                                                  \
    int isSubnormal = divisor < power_##suffix(1 - bias);                                                              \
    int base = exponent_##suffix(isSubnormal ? divisor * power_##suffix(mantissa) : divisor);                          \
    base -= isSubnormal ? mantissa : 0;                                                                                \
    do {                                                                                                               \
      int shift = exponent_##suffix(rest) - base - (mantissa - 1);                                                     \
      shift = shift < 0 ? 0 : shift;                                                                                   \
      type scaled = divisor * power_##suffix(shift >> 1) * power_##suffix(shift - (shift >> 1));                       \
      type quotient = __builtin_elementwise_trunc(rest / scaled);                                                      \
      rest = __builtin_elementwise_fma(-quotient, scaled, rest);                                                       \
      rest = rest < 0 ? rest + scaled : rest;                                                                          \
    } while (rest >= divisor);                                                                                         \
    return __builtin_elementwise_copysign(rest, x);                                                                    \
  }
FMOD(__nv_fmodf, float, f32, unsigned, 23, 127)
FMOD(__nv_fmod, double, f64, unsigned long, 52, 1023)

// libclc's lgamma overflows at tiny negative numbers, where the result is -log(abs(x)), and loses digits down to -2.25,
// where two steps of lgamma(x) = lgamma(x + 1) - log(abs(x)) do not.
LIBCLC1(6, lgamma)
#define LGAMMA(name, type, suffix, log)                                                                                \
  type name(type x) {                                                                                                  \
    type magnitude = __builtin_elementwise_abs(x);                                                                     \
    if (magnitude < (type)0x1p-70)                                                                                     \
      return -log(magnitude);                                                                                          \
    if (x == -(type)INFINITE)                                                                                          \
      return -x;                                                                                                       \
    if (x >= 0 || x < (type) - 2.25 || x != x)                                                                         \
      return _Z6lgamma##suffix(x);                                                                                     \
    type factors = x, argument = x + 1;                                                                                \
    for (; argument < 0; argument += 1)                                                                                \
      factors *= argument;                                                                                             \
    return _Z6lgamma##suffix(argument) - log(__builtin_elementwise_abs(factors));                                      \
  }
LGAMMA(__nv_lgammaf, float, f, __nv_logf)
LGAMMA(__nv_lgamma, double, d, __nv_log)

// libclc's tgamma is hundreds of ULP off. This is Lanczos' approximation with 13 terms and g = 6.02468..., scaled by
// exp(-g), as a quotient of polynomials; the coefficients are those of Boost and CPython.
#define LANCZOS_G_MINUS_HALF 5.524680040776729583740234375
static const double lanczos_numerator[13] = {
    23531376880.41075968857200767, 42919803642.64909876895789904, 35711959237.35566804944018545,
    17921034426.03720969991975575, 6039542586.352028005064291644, 1439720407.311721673663223072,
    248874557.8620541565114603864, 31426415.58540019438061423162, 2876370.628935372441225409051,
    186056.2653952234950402949897, 8071.672002365816210638002902, 210.8242777515793458725097339,
    2.506628274631000270164908177};
static const double lanczos_denominator[13] = {0,       39916800, 120543840, 150917976, 105258076, 45995730, 13339535,
                                               2637558, 357423,   32670,     1925,      66,        1};
static double lanczos_sum(double x) {
  double numerator = 0, denominator = 0;
  if (x < 5) {
    for (int i = 12; i >= 0; --i) {
      numerator = __builtin_fma(numerator, x, lanczos_numerator[i]);
      denominator = __builtin_fma(denominator, x, lanczos_denominator[i]);
    }
  } else {
    double inverse = 1 / x;
    for (int i = 0; i < 13; ++i) {
      numerator = __builtin_fma(numerator, inverse, lanczos_numerator[i]);
      denominator = __builtin_fma(denominator, inverse, lanczos_denominator[i]);
    }
  }
  return numerator / denominator;
}
/// sin(pi * x) for x >= 0.
static double sine_of_turns(double x) {
  double rest = __nv_fmod(x, 2.0);
  double sign = rest >= 1 ? -1 : 1;
  rest = rest >= 1 ? rest - 1 : rest;
  rest = rest > 0.5 ? 1 - rest : rest;
  return sign * (rest < 0.25 ? _Z3sind(rest * 3.141592653589793) : _Z3cosd((0.5 - rest) * 3.141592653589793));
}
double __nv_tgamma(double x) {
  double magnitude = __builtin_fabs(x);
  if (x != x || magnitude < 0x1p-66)
    return 1 / x;
  if (x == __builtin_trunc(x) && x < 24) {
    double product = x < 0 ? __builtin_nan("") : 1;
    for (double factor = 2; factor < x; ++factor)
      product *= factor;
    return product;
  }
  if (magnitude > 200)
    return x > 0 ? INFINITE : x == -INFINITE ? __builtin_nan("") : -0.0 / sine_of_turns(magnitude);
  double base = magnitude + LANCZOS_G_MINUS_HALF;
  // What the sum lacks, to first order.
  double lost = magnitude > LANCZOS_G_MINUS_HALF ? (base - magnitude) - LANCZOS_G_MINUS_HALF
                                                 : (base - LANCZOS_G_MINUS_HALF) - magnitude;
  lost = lost * (LANCZOS_G_MINUS_HALF + 0.5) / base;
  // In two factors where the power alone could overflow.
  int isLarge = magnitude > 140;
  double root = __nv_pow(base, isLarge ? magnitude * 0.5 - 0.25 : magnitude - 0.5), other = isLarge ? root : 1;
  if (x < 0) {
    double result = -3.141592653589793 / sine_of_turns(magnitude) / magnitude * __nv_exp(base) / lanczos_sum(magnitude);
    return (result - lost * result) / root / other;
  }
  double result = lanczos_sum(magnitude) / __nv_exp(base);
  return (result + lost * result) * root * other;
}
float __nv_tgammaf(float x) { return (float)__nv_tgamma(x); }
