// Vectors of one instruction set level, for our own routines: each .cpp here is compiled once per level, with
// TREADLE_ISA naming it (sse, avx2, avx512) and the flags of x86-64-v2, v3, v4.
#pragma once

#include <immintrin.h>
#include <stdint.h>

// No headers of the standard library: the linker might keep an inline function of theirs, compiled with AVX-512 here,
// as the one copy for all callers. For the same reason everything defined in this folder except for the routines is
// static or in an anonymous namespace.

#if defined(__AVX512F__)
#define TREADLE_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define TREADLE_VECTOR_BYTES 32
#else
#define TREADLE_VECTOR_BYTES 16
#endif

/// The symbol of routine `name` for element type `type` (f32, i64, ...) at this level, as returned by vectorRoutine().
#define TREADLE_ROUTINE(name, type) TREADLE_ROUTINE_AT(name, type, TREADLE_ISA)
#define TREADLE_ROUTINE_AT(name, type, isa) TREADLE_ROUTINE_PASTE(name, type, isa)
#define TREADLE_ROUTINE_PASTE(name, type, isa) treadle_vm_##name##_##type##_##isa

namespace {

template <typename T, int count> using Vector = T __attribute__((ext_vector_type(count)));

template <typename T> constexpr int lanes = TREADLE_VECTOR_BYTES / int(sizeof(T));
/// One full register.
template <typename T> using Full = Vector<T, lanes<T>>;

using F32 = Full<float>;
using F64 = Full<double>;
using I32 = Full<int32_t>;
using U32 = Full<uint32_t>;
using I64 = Full<int64_t>;
using U64 = Full<uint64_t>;

template <typename To, typename From> [[gnu::always_inline]] inline To bitcast(From value) {
  return __builtin_bit_cast(To, value);
}
template <typename To, typename From> [[gnu::always_inline]] inline To convert(From value) {
  return __builtin_convertvector(value, To);
}

/// `mask` is all ones or all zeros in each lane.
template <typename Mask> [[gnu::always_inline]] inline bool any(Mask mask) { return __builtin_reduce_or(mask) != 0; }

template <typename T, int count>
[[gnu::always_inline]] inline Vector<T, count * 2> join(Vector<T, count> lo, Vector<T, count> hi) {
  Vector<T, count * 2> both;
  both.lo = lo;
  both.hi = hi;
  return both;
}

/// a * b + c, rounded once if the level has an FMA instruction, else twice.
template <typename V> [[gnu::always_inline]] inline V multiplyAdd(V a, V b, V c) {
#if defined(__FMA__)
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// The sum of coefficients[i] * x^i: even and odd powers are summed separately, which halves the latency.
template <typename V, typename T, int count>
[[gnu::always_inline]] inline V polynomial(V x, const T (&coefficients)[count]) {
  constexpr int lastEven = (count - 1) & ~1, lastOdd = (count - 2) | 1;
  V square = x * x, even = coefficients[lastEven], odd = coefficients[lastOdd];
#pragma clang loop unroll(full)
  for (int i = lastEven - 2; i >= 0; i -= 2)
    even = multiplyAdd(even, square, V(coefficients[i]));
#pragma clang loop unroll(full)
  for (int i = lastOdd - 2; i >= 1; i -= 2)
    odd = multiplyAdd(odd, square, V(coefficients[i]));
  return multiplyAdd(odd, x, even);
}

/// Constants of the float type.
template <typename V> struct Format;
template <> struct Format<F32> {
  using Int = I32;
  using Unsigned = U32;
  static constexpr int mantissa = 23, bias = 127;
  static constexpr float rounder =
      0x1.8p23f; ///< adding and subtracting it rounds; adding leaves the integer in the low bits
};
template <> struct Format<F64> {
  using Int = I64;
  using Unsigned = U64;
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr double rounder = 0x1.8p52;
};
template <typename V> using IntOf = typename Format<V>::Int;
template <typename V> using UnsignedOf = typename Format<V>::Unsigned;

template <typename V> [[gnu::always_inline]] inline V absolute(V value) { return __builtin_elementwise_abs(value); }
template <typename V> [[gnu::always_inline]] inline V withSign(V magnitude, V sign) {
  return __builtin_elementwise_copysign(magnitude, sign);
}

/// 2^exponent for whole exponents of normal numbers.
template <typename V> [[gnu::always_inline]] inline V powerOfTwo(V exponent) {
  using F = Format<V>;
  IntOf<V> biased = bitcast<IntOf<V>>(exponent + (F::rounder + F::bias));
  return bitcast<V>(biased << F::mantissa);
}

/// value * 2^exponent for whole exponents, rounded once.
template <typename V> [[gnu::always_inline]] inline V scale(V value, V exponent) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V{}[0]) == 4)
    return _mm512_scalef_ps(value, exponent);
  else
    return _mm512_scalef_pd(value, exponent);
#else
  if (!any(absolute(exponent) > (Format<V>::bias - 2))) [[likely]]
    return value * powerOfTwo(exponent);
  // In two steps: the first factor and its product are normal numbers.
  V half = __builtin_elementwise_floor(exponent * 0.5f);
  return value * powerOfTwo(half) * powerOfTwo(exponent - half);
#endif
}

/// table[index % 16].
template <typename T> [[gnu::always_inline]] inline Full<T> lookup(const T (&table)[16], IntOf<Full<T>> index) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    return _mm512_permutexvar_ps(bitcast<__m512i>(index), _mm512_loadu_ps(table));
  else
    return _mm512_permutex2var_pd(_mm512_loadu_pd(table), bitcast<__m512i>(index), _mm512_loadu_pd(table + 8));
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 8)
    return _mm256_i64gather_pd(table, bitcast<__m256i>(index & 15), 8);
  else
    return _mm256_i32gather_ps(table, bitcast<__m256i>(index & 15), 4);
#else
  Full<T> found;
  for (int lane = 0; lane < lanes<T>; ++lane)
    found[lane] = table[index[lane] & 15];
  return found;
#endif
}

} // namespace
