// fmod, exact, and Python's // and % on floats, as CPython computes them (NumPy's results where the divisor is 0).
#include "math/own/vector.h"

namespace {

/// r mod s for 0 <= r, r / s < 2^53 where `Fused`, < 2^29 otherwise (then both are float32 values). Exact: the product
/// is exact, or is fused, and the difference is a multiple of the smaller operand's last bit and smaller than s. The
/// rounded quotient may be one too large.
template <typename V> V remainderOnce(V r, V s) {
  V quotient = __builtin_elementwise_trunc(r / s);
  V rest = multiplyAdd(-quotient, s, r);
  return rest < 0 ? rest + s : rest;
}

/// Exponent of a positive normal number.
template <typename I, typename V> I exponentOf(V value) { return (bitcast<I>(value) >> 52) - 1023; }

/// 2^exponent for exponents from -1022 to 1023.
template <typename V, typename I> V powerFromBits(I exponent) { return bitcast<V>((exponent + 1023) << 52); }

/// |x| mod |y| of doubles, where a quotient may have up to `digits` bits in remainderOnce. Zero divisors, infinities
/// and NaN give NaN as they should, and end the loop.
template <int count, int digits> Vector<double, count> remainderOf(Vector<double, count> r, Vector<double, count> y) {
  using V = Vector<double, count>;
  using I = Vector<int64_t, count>;
  V smaller = r;
  if (!any(r >= y * double(int64_t(1) << (digits - 1)))) {
    r = remainderOnce(r, y);
    return smaller < y ? smaller : r;
  }
  // Subnormal divisors have their exponent after scaling.
  I subnormal = y < 0x1p-1022;
  I divisorExponent = exponentOf<I>(subnormal != 0 ? y * 0x1p54 : y) - (subnormal & 54);
  I pending = ~I(0);
  do {
    I shift = exponentOf<I>(r) - divisorExponent - (digits - 2);
    shift = shift < 0 ? I(0) : shift;
    I half = shift >> 1;
    V scaled = y * powerFromBits<V>(half) * powerFromBits<V>(shift - half);
    r = pending != 0 ? remainderOnce(r, scaled) : r;
    pending = r >= y;
  } while (any(pending));
  return smaller < y ? smaller : r;
}

F32 remainder(F32 x, F32 y) {
  constexpr int half = lanes<float> / 2;
  using Wide = Vector<double, half>;
  using Half = Vector<float, half>;
  F32 rest = join<float, half>(
      convert<Half>(remainderOf<half, 29>(convert<Wide>(absolute(x).lo), convert<Wide>(absolute(y).lo))),
      convert<Half>(remainderOf<half, 29>(convert<Wide>(absolute(x).hi), convert<Wide>(absolute(y).hi))));
  return withSign(rest, x);
}

#if defined(__FMA__)
F64 remainder(F64 x, F64 y) { return withSign(remainderOf<lanes<double>, 53>(absolute(x), absolute(y)), x); }
#else
/// The x87 instruction is exact and reduces 63 bits a step.
double remainderOfOne(double x, double y) {
  long double rest = x;
  unsigned short status;
  do // NOLINT(bugprone-infinite-loop): the instruction sets the status
    asm volatile("fprem\n\tfnstsw %%ax" : "+t"(rest), "=a"(status) : "u"(static_cast<long double>(y)) : "cc");
  while (status & 0x400);
  return double(rest);
}
F64 remainder(F64 x, F64 y) {
  F64 rest;
  for (int lane = 0; lane < lanes<double>; ++lane)
    rest[lane] = remainderOfOne(x[lane], y[lane]);
  return rest;
}
#endif

template <typename V> V pythonMod(V x, V y) {
  V rest = remainder(x, y);
  V adjusted = (rest < 0) != (y < 0) ? rest + y : rest;
  return rest == 0 ? withSign(V(0), y) : adjusted;
}

template <typename V> V pythonFloorDivide(V x, V y) {
  V rest = remainder(x, y);
  V quotient = (x - rest) / y;
  auto differ = ((rest < 0) != (y < 0)) & (rest != 0);
  quotient = differ ? quotient - 1 : quotient;
  V floor = __builtin_elementwise_floor(quotient);
  floor = quotient - floor > V(0.5) ? floor + 1 : floor;
  V ratio = x / y;
  floor = quotient == 0 ? withSign(V(0), ratio) : floor;
  return y == 0 ? ratio : floor;
}

} // namespace

#define TREADLE_REMAINDERS(type, V)                                                                                    \
  extern "C" V TREADLE_ROUTINE(fmod, type)(V x, V y) { return remainder(x, y); }                                       \
  extern "C" V TREADLE_ROUTINE(mod, type)(V x, V y) { return pythonMod(x, y); }                                        \
  extern "C" V TREADLE_ROUTINE(floordiv, type)(V x, V y) { return pythonFloorDivide(x, y); }

TREADLE_REMAINDERS(f32, F32)
TREADLE_REMAINDERS(f64, F64)
