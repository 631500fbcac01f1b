// Division of vectors of integers, for which there is no instruction: through float64 where that is exact.
// quotient and remainder are C's, floordiv and mod are Python's.
#include "math/own/vector.h"

namespace {

// A float64 quotient of integers below 2^53 truncates to the exact one: for a < n * b the distance from a / b to n is
// at least 1 / b >= n / 2^53, more than half a unit in the last place below n.

/// Quotient rounded to zero, and remainder. They wrap; the result is unspecified where the divisor is 0.
template <typename V> struct Division {
  V quotient, remainder;
};

/// |value| < 2^32. Adding 1.5 * 2^52 leaves the integer in the low bits, whatever its sign, without a conversion that
/// would be undefined out of range.
template <int count> Vector<uint32_t, count> lowBits(Vector<double, count> value) {
  return convert<Vector<uint32_t, count>>(bitcast<Vector<uint64_t, count>>(value + 0x1.8p52));
}

template <typename T, int count> Vector<T, count> quotient32(Vector<T, count> a, Vector<T, count> b) {
  using Wide = Vector<double, count>;
  Wide divisor = convert<Wide>(b);
  // Any quotient will do for a zero divisor, but infinity has no low bits.
  divisor = divisor == 0 ? Wide(1) : divisor;
  return bitcast<Vector<T, count>>(lowBits<count>(__builtin_elementwise_trunc(convert<Wide>(a) / divisor)));
}

template <typename V, typename T> Division<V> divide32(V a, V b) {
  constexpr int half = lanes<T> / 2;
  V quotient = join<T, half>(quotient32<T, half>(a.lo, b.lo), quotient32<T, half>(a.hi, b.hi));
  return {quotient, a - quotient * b};
}
Division<I32> divide(I32 a, I32 b) { return divide32<I32, int32_t>(a, b); }
Division<U32> divide(U32 a, U32 b) { return divide32<U32, uint32_t>(a, b); }

/// Float64 of integers in [-2^51, 2^51).
F64 toDouble(I64 value) {
#if defined(__AVX512DQ__)
  return convert<F64>(value);
#else
  return bitcast<F64>(value + bitcast<I64>(F64(0x1.8p52))) - 0x1.8p52;
#endif
}
I64 fromDouble(F64 value) {
#if defined(__AVX512DQ__)
  return convert<I64>(value);
#else
  return bitcast<I64>(value + 0x1.8p52) - bitcast<I64>(F64(0x1.8p52));
#endif
}

I64 quotientSmall(I64 a, I64 b) {
  F64 divisor = toDouble(b);
  divisor = divisor == 0 ? F64(1) : divisor;
  return fromDouble(__builtin_elementwise_trunc(toDouble(a) / divisor));
}

[[gnu::noinline]] I64 quotientLarge(I64 a, I64 b) {
  I64 quotient;
  for (int lane = 0; lane < lanes<int64_t>; ++lane) {
    bool wraps = b[lane] == 0 || b[lane] == -1;
    quotient[lane] = wraps ? int64_t(-uint64_t(a[lane])) : a[lane] / b[lane];
  }
  return quotient;
}
[[gnu::noinline]] U64 quotientLarge(U64 a, U64 b) {
  U64 quotient;
  for (int lane = 0; lane < lanes<uint64_t>; ++lane)
    quotient[lane] = b[lane] == 0 ? 0 : a[lane] / b[lane];
  return quotient;
}

Division<I64> divide(I64 a, I64 b) {
  constexpr int64_t limit = int64_t(1) << 51;
  // One comparison for both ends: -limit <= value < limit.
  U64 large = bitcast<U64>(a + limit) | bitcast<U64>(b + limit);
  I64 quotient = any(large >= U64(2 * limit)) ? quotientLarge(a, b) : quotientSmall(a, b);
  return {quotient, a - quotient * b};
}
Division<U64> divide(U64 a, U64 b) {
  constexpr uint64_t limit = uint64_t(1) << 51;
  U64 quotient =
      any((a | b) >= U64(limit)) ? quotientLarge(a, b) : bitcast<U64>(quotientSmall(bitcast<I64>(a), bitcast<I64>(b)));
  return {quotient, a - quotient * b};
}

/// Adjusts from truncation to flooring: lanes whose remainder differs in sign from the divisor.
template <typename V> V toAdjust(Division<V> division, V divisor) {
  return (division.remainder != 0) & ((division.remainder ^ divisor) < 0);
}

} // namespace

#define TREADLE_TRUNCATED(type, V)                                                                                     \
  extern "C" V TREADLE_ROUTINE(quotient, type)(V a, V b) { return divide(a, b).quotient; }                             \
  extern "C" V TREADLE_ROUTINE(remainder, type)(V a, V b) { return divide(a, b).remainder; }
#define TREADLE_FLOORED(type, V)                                                                                       \
  extern "C" V TREADLE_ROUTINE(floordiv, type)(V a, V b) {                                                             \
    Division<V> division = divide(a, b);                                                                               \
    return division.quotient + toAdjust(division, b);                                                                  \
  }                                                                                                                    \
  extern "C" V TREADLE_ROUTINE(mod, type)(V a, V b) {                                                                  \
    Division<V> division = divide(a, b);                                                                               \
    return division.remainder + (toAdjust(division, b) & b);                                                           \
  }

TREADLE_TRUNCATED(i32, I32)
TREADLE_TRUNCATED(i64, I64)
TREADLE_TRUNCATED(u32, U32)
TREADLE_TRUNCATED(u64, U64)
TREADLE_FLOORED(i32, I32)
TREADLE_FLOORED(i64, I64)
