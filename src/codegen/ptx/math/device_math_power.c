// pow and log2 of PTX code where libdevice is not found: with so many digits more than a result has, before it is
// rounded, that powers and logarithms that are representable come out exactly. libclc's do not.
#ifndef REAL
#define INFINITE __builtin_inf()

#define NAME(name) name##f
#define REAL float
#define BITS unsigned
#define SIGNED_BITS int
#define MANTISSA 23
#define BIAS 127
#define ROOT_OF_HALF 0x3f3504f3
#define TWO_OVER_LN2 0x1.715476p+1f, 0x1.4ae0c0p-25f
#define LN2 0x1.62e430p-1f, -0x1.05c610p-29f
#define THIRD 0x1.555556p-2f, -0x1.555556p-27f
#define LAST_ODD 15
#define LAST_FACTORIAL 9
#include __FILE__
#undef NAME
#undef REAL
#undef BITS
#undef SIGNED_BITS
#undef MANTISSA
#undef BIAS
#undef ROOT_OF_HALF
#undef TWO_OVER_LN2
#undef LN2
#undef THIRD
#undef LAST_ODD
#undef LAST_FACTORIAL

#define NAME(name) name
#define REAL double
#define BITS unsigned long
#define SIGNED_BITS long
#define MANTISSA 52
#define BIAS 1023
#define ROOT_OF_HALF 0x3fe6a09e667f3bcd
#define TWO_OVER_LN2 0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55
#define LN2 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56
#define THIRD 0x1.5555555555555p-2, 0x1.5555555555555p-56
#define LAST_ODD 27
#define LAST_FACTORIAL 14
#include __FILE__
#else

#define MULTIPLY_ADD __builtin_elementwise_fma
#define POWER_OF_TWO(exponent) __builtin_bit_cast(REAL, (BITS)((exponent) + BIAS) << MANTISSA)

/// A number as a sum: `low` is what `high` lacks.
typedef struct {
  REAL high, low;
} NAME(sum);

/// The product of a and a sum.
static NAME(sum) NAME(times)(REAL a, REAL high, REAL low) {
  REAL product = a * high;
  return (NAME(sum)){product, MULTIPLY_ADD(a, high, -product) + a * low};
}

/// a + b, where abs(a) >= abs(b) or a is 0.
static NAME(sum) NAME(plus)(REAL a, NAME(sum) b) {
  REAL total = a + b.high;
  return (NAME(sum)){total, a - total + b.high + b.low};
}

/// log2(x) of a positive finite number: its exponent, and a series in s = (m - 1) / (m + 1), m between the roots of 1/2
/// and 2.
static NAME(sum) NAME(log2_of)(REAL x) {
  int exponent = 0;
  if (x < POWER_OF_TWO(1 - BIAS)) {
    x *= POWER_OF_TWO(MANTISSA + 1);
    exponent = -(MANTISSA + 1);
  }
  BITS offset = __builtin_bit_cast(BITS, x) - (BITS)ROOT_OF_HALF;
  exponent += (int)((SIGNED_BITS)offset >> MANTISSA);
  REAL m = __builtin_bit_cast(REAL, (offset & (((BITS)1 << MANTISSA) - 1)) + (BITS)ROOT_OF_HALF);
  REAL dividend = m - 1, divisor = m + 1, inverse = 1 / divisor;
  REAL lost = m - (divisor - 1);
  NAME(sum) s = {dividend * inverse, 0};
  s.low = (MULTIPLY_ADD(-s.high, divisor, dividend) - s.high * lost) * inverse;
  NAME(sum) square = NAME(times)(s.high, s.high, 2 * s.low);
  // 2 * atanh(s) = 2 * (s + s * square * (1 / 3 + square / 5 + ...))
  REAL tail = 0;
#pragma unroll
  for (int odd = LAST_ODD; odd >= 5; odd -= 2)
    tail = MULTIPLY_ADD(tail, square.high, 1 / (REAL)odd);
  const REAL third[] = {THIRD};
  NAME(sum) series = NAME(plus)(third[0], (NAME(sum)){square.high * tail, third[1]});
  NAME(sum) cubic = NAME(times)(square.high, series.high, series.low);
  cubic.low += square.low * series.high;
  NAME(sum) rest = NAME(times)(s.high, cubic.high, cubic.low);
  rest.low += s.low * cubic.high + s.low;
  NAME(sum) all = NAME(plus)(s.high, rest);
  const REAL factor[] = {TWO_OVER_LN2};
  NAME(sum) logarithm = NAME(times)(all.high, factor[0], factor[1]);
  logarithm.low += all.low * factor[0];
  return NAME(plus)((REAL)exponent, logarithm);
}

REAL NAME(__nv_log2)(REAL x) {
  if (!(x > 0 && x < (REAL)INFINITE))
    return x == 0 ? -(REAL)INFINITE : x < 0 ? (REAL)__builtin_nan("") : x + x;
  NAME(sum) logarithm = NAME(log2_of)(x);
  return logarithm.high + logarithm.low;
}

/// 2 to the power of a sum.
static REAL NAME(exp2_of)(NAME(sum) x) {
  if (x.high > BIAS + 2)
    return (REAL)INFINITE;
  if (x.high < -(BIAS + MANTISSA + 3))
    return 0;
  REAL whole = __builtin_elementwise_rint(x.high);
  NAME(sum) part = NAME(plus)(x.high - whole, (NAME(sum)){x.low, 0});
  const REAL factor[] = {LN2};
  NAME(sum) e = NAME(times)(part.high, factor[0], factor[1]);
  e.low += part.low * factor[0];
  // exp(e) = 1 + e.high + (square / 2 + ...) + what e.low adds
  // Those that float32 does not need are too large for it to be exact.
  const REAL factorials[] = {1,     1,      2,       6,        24,        120,        720,        5040,
                             40320, 362880, 3628800, 39916800, 479001600, 6227020800, 87178291200};
  REAL tail = 0;
#pragma unroll
  for (int n = LAST_FACTORIAL; n >= 2; --n)
    tail = MULTIPLY_ADD(tail, e.high, 1 / factorials[n]);
  REAL rest = MULTIPLY_ADD(e.high * e.high, tail, MULTIPLY_ADD(e.low, e.high, e.low));
  NAME(sum) power = NAME(plus)(1, (NAME(sum)){e.high, rest});
  // In two factors, each a normal number; only the second multiplication can round.
  int exponent = (int)whole, half = exponent >> 1;
  return (power.high + power.low) * POWER_OF_TWO(half) * POWER_OF_TWO(exponent - half);
}

REAL NAME(__nv_pow)(REAL x, REAL y) {
  if (y == 0 || x == 1)
    return 1;
  if (x != x || y != y)
    return x + y;
  REAL base = __builtin_elementwise_abs(x), size = __builtin_elementwise_abs(y), half = y / 2;
  int isWhole = __builtin_elementwise_trunc(y) == y;
  int isOdd = isWhole && size < POWER_OF_TWO(MANTISSA + 1) && __builtin_elementwise_trunc(half) != half;
  REAL power;
  if (base == 0 || base == (REAL)INFINITE || size == (REAL)INFINITE) {
    power = base == 1 ? 1 : (base > 1) == (y > 0) ? (REAL)INFINITE : 0;
  } else if (x < 0 && !isWhole) {
    return (REAL)__builtin_nan("");
  } else {
    NAME(sum) logarithm = NAME(log2_of)(base);
    power = NAME(exp2_of)(NAME(times)(y, logarithm.high, logarithm.low));
  }
  return isOdd ? __builtin_elementwise_copysign(power, x) : power;
}
#endif
