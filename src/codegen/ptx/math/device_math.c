// The math library of PTX code where NVIDIA's libdevice is not found: libclc's functions under libdevice's names, and
// our own where libclc's are over CUDA's error bounds. Compiled to bitcode for nvptx64 when treadle is built.

#define INFINITE __builtin_inf()

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
TAKE1(4, log2)
TAKE1(5, log10)
TAKE1(5, log1p)
TAKE_ODD(3, erf)
TAKE2(5, atan2)
TAKE2(3, pow)
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

// libclc's expf gives 0 where the result is subnormal.
double _Z3expd(double);
TAKE1_F64(3, exp)
float __nv_expf(float x) {
  // Beyond these the result no longer changes; NaN stays, as it compares with nothing.
  float clamped = x < -110 ? -110 : x > 100 ? 100 : x;
  float power = __builtin_rintf(clamped * 0x1.715476p+0f);
  float rest = __builtin_fmaf(power, -0x1.62e400p-1f, clamped);
  rest = __builtin_fmaf(power, -0x1.7f7d1cp-20f, rest);
  // A minimax polynomial on |rest| <= 0.35.
  float sum = 0x1.6a59dap-10f;
  sum = __builtin_fmaf(sum, rest, 0x1.123e46p-7f);
  sum = __builtin_fmaf(sum, rest, 0x1.5558aep-5f);
  sum = __builtin_fmaf(sum, rest, 0x1.55548cp-3f);
  sum = __builtin_fmaf(sum, rest, 0x1.fffffcp-2f);
  sum = __builtin_fmaf(sum * rest, rest, rest) + 1;
  // In two factors, each a normal number; only the second multiplication can round, once.
  int exponent = x == x ? (int)power : 0;
  int half = exponent >> 1;
  return sum * __builtin_bit_cast(float, (half + 127) << 23) * __builtin_bit_cast(float, (exponent - half + 127) << 23);
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
