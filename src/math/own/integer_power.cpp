// Powers of integers with integer exponents, wrapping; negative exponents give 0, or 1 and -1 for those bases.
#include "math/own/vector.h"

namespace {

template <typename V> V power(V base, V exponent) {
  V result = 1;
  while (any(exponent != 0)) {
    result = (exponent & 1) != 0 ? result * base : result;
    base *= base;
    exponent >>= 1;
  }
  return result;
}

template <typename V> V signedPower(V base, V exponent) {
  // A base of 1 or -1 depends on the exponent's parity alone; the others round to 0.
  V unit = (base == 1) | (base == -1);
  V negative = exponent < 0;
  V result = power(base, negative ? exponent & 1 : exponent);
  return (negative & ~unit) != 0 ? V(0) : result;
}

} // namespace

extern "C" I32 TREADLE_ROUTINE(pow, i32)(I32 a, I32 b) { return signedPower(a, b); }
extern "C" I64 TREADLE_ROUTINE(pow, i64)(I64 a, I64 b) { return signedPower(a, b); }
extern "C" U32 TREADLE_ROUTINE(pow, u32)(U32 a, U32 b) { return power(a, b); }
extern "C" U64 TREADLE_ROUTINE(pow, u64)(U64 a, U64 b) { return power(a, b); }
