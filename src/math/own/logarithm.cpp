// log, log2, log10 and log1p.
#include "math/own/logarithm_tables.h"
#include "math/own/vector.h"

namespace {

/// x = 2^exponent * (significand + low), for positive normal x.
template <typename V> struct Split {
  V exponent, significand, low;
  IntOf<V> index; ///< of the nearest 1 + index / 16 (float64 only)
};

/// Significands from 1 - 1/64 (index 0) to 2 - 1/32.
template <Base> Split<F64> split(F64 x) {
  constexpr int64_t half = int64_t(1) << 47;
  U64 shifted = bitcast<U64>(x) + half;
  U64 exponent = shifted >> 52;
  F64 significand = bitcast<F64>(bitcast<U64>(x) - (exponent << 52) + (uint64_t(1023) << 52));
  F64 whole = bitcast<F64>(exponent | bitcast<U64>(F64(0x1p52))) - (0x1p52 + 1023);
  return {whole, significand, F64(0), bitcast<I64>(shifted >> 48)};
}

/// Whether split of this type takes all numbers, not positive normal ones alone.
template <typename V> constexpr bool splitsAll = false;

#if defined(__AVX512F__)
template <> constexpr bool splitsAll<F32> = true;

/// Significands from 3/4 to 3/2; for bases 2 and 10 from sqrt(1/2) to sqrt(2), as there the sum with the exponent would
/// double the error. Zero and infinity have the exponents they need, negative numbers the significand NaN.
template <Base base> Split<F32> split(F32 x) {
  F32 exponent = _mm512_getexp_ps(x);
  if constexpr (base == Base::Natural) {
    F32 significand = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    return {exponent - _mm512_getexp_ps(significand), significand, F32(0), I32(0)};
  }
  F32 significand = _mm512_getmant_ps(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
  I32 isLarge = significand > 0x1.6a09e6p+0f;
  return {isLarge ? exponent + 1 : exponent, isLarge ? significand * 0.5f : significand, F32(0), I32(0)};
}
#else
/// Significands from 3/4 to 3/2; for bases 2 and 10 from sqrt(1/2) to sqrt(2), as there the sum with the exponent would
/// double the error.
template <Base base> Split<F32> split(F32 x) {
  constexpr int32_t one = 0x3f800000, least = base == Base::Natural ? 0x3f400000 : 0x3f3504f3;
  I32 shifted = bitcast<I32>(x) + (one - least);
  F32 significand = bitcast<F32>((shifted & 0x7fffff) + least);
  return {convert<F32>((shifted >> 23) - 127), significand, F32(0), I32(0)};
}
#endif

/// (ln(1 + x) - x) / x^2 for |x| < 0.0333.
F64 logarithmSeries(F64 x) {
  constexpr double coefficients[] = {-0x1.0000000000000p-1, 0x1.55555555554acp-2,  -0x1.ffffffffffe5fp-3,
                                     0x1.9999999c72106p-3,  -0x1.5555555876a71p-3, 0x1.24922ab4756c4p-3,
                                     -0x1.ffffc22b67241p-4, 0x1.c81d01e6b9a4dp-4,  -0x1.9a8f5e7553a96p-4};
  return polynomial(x, coefficients);
}

/// significand * reciprocal - 1, rounded once: a reciprocal has 8 binary digits at most.
F64 restOf(F64 significand, F64 reciprocal) {
#if defined(__FMA__)
  return multiplyAdd(significand, reciprocal, F64(-1));
#else
  F64 high = bitcast<F64>(bitcast<U64>(significand) >> 27 << 27);
  return (high * reciprocal - 1) + (significand - high) * reciprocal;
#endif
}

template <Base base> F64 logarithm(Split<F64> parts) {
  using Table = LogarithmTable<base>;
  F64 reciprocal = lookup(reciprocals, parts.index);
  F64 rest = restOf(parts.significand, reciprocal) + parts.low * reciprocal;
  F64 high = multiplyAdd(parts.exponent, F64(Table::ln2High), lookup(Table::high, parts.index));
  F64 low = multiplyAdd(parts.exponent, F64(Table::ln2Low), lookup(Table::low, parts.index));
  F64 series = rest * rest * logarithmSeries(rest);
  if constexpr (base == Base::Natural)
    return high + (rest + (series + low));
  F64 scaled = rest * Table::perLnHigh;
  F64 error = multiplyAdd(rest, F64(Table::perLnHigh), -scaled);
  error = multiplyAdd(rest, F64(Table::perLnLow), error + low);
  return high + (scaled + multiplyAdd(series, F64(Table::perLnHigh), error));
}

/// Minimax: of (log(1 + x) - slope * x) / x^2, x from -1/4 to 1/2 (natural) or sqrt(1/2) - 1 to sqrt(2) - 1 (decimal),
/// and of (log2(1 + x) - x) / x.
template <Base base> F32 logarithm(Split<F32> parts) {
  constexpr float natural[] = {-0x1.000000p-1f, 0x1.5555a4p-2f,  -0x1.000044p-2f, 0x1.996970p-3f, -0x1.54eeccp-3f,
                               0x1.2885dcp-3f,  -0x1.0d9414p-3f, 0x1.aca23ap-4f,  -0x1.713b62p-5f};
  constexpr float decimal[] = {-0x1.bcb7b2p-3f, 0x1.287906p-3f,  -0x1.bcb6aep-4f, 0x1.644634p-4f, -0x1.289742p-4f,
                               0x1.eba9bep-5f,  -0x1.b96360p-5f, 0x1.020110p-4f,  -0x1.91a80ep-5f};
  constexpr float binary[] = {0x1.c551dap-2f,  -0x1.715476p-1f, 0x1.ec7030p-2f,  -0x1.715722p-2f, 0x1.2789dap-2f,
                              -0x1.eb550cp-3f, 0x1.a2396ep-3f,  -0x1.825a1ep-3f, 0x1.7eb4b0p-3f,  -0x1.d98992p-4f};
  F32 rest = (parts.significand - 1) + parts.low;
  if constexpr (base == Base::Binary)
    return parts.exponent + multiplyAdd(rest, polynomial(rest, binary), rest);
  F32 higher = rest * rest * polynomial(rest, base == Base::Natural ? natural : decimal);
  if constexpr (base == Base::Natural)
    return multiplyAdd(parts.exponent, F32(0x1.62e430p-1f), rest + higher);
  // The factors in two parts, so that logarithms of powers of ten are integers; products with the high part of log10(2)
  // are exact.
  F32 lower = multiplyAdd(rest, F32(-0x1.5b235ep-27f), higher);
  lower = multiplyAdd(parts.exponent, F32(0x1.3509f8p-18f), lower);
  return multiplyAdd(parts.exponent, F32(0x1.3440p-2f), multiplyAdd(rest, F32(0x1.bcb7b2p-2f), lower));
}

/// Lanes that are not positive normal numbers: all ones.
template <typename V> auto isSpecial(V x) {
  using F = Format<V>;
  using U = UnsignedOf<V>;
  constexpr auto unit = decltype(U{}[0] + 0)(1) << F::mantissa;
  return bitcast<U>(x) - U(unit) >= U(unit * (2 * F::bias));
}

/// Zero, negative numbers, infinity and NaN; subnormal numbers after scaling.
template <Base base, typename V> [[gnu::noinline]] V specialLogarithm(V x) {
  using F = Format<V>;
  constexpr auto infinity = __builtin_inff();
  auto isSubnormal = absolute(x) < powerOfTwo(V(1 - F::bias));
  Split<V> parts = split<base>(isSubnormal ? x * powerOfTwo(V(F::mantissa + 1)) : x);
  parts.exponent = isSubnormal ? parts.exponent - (F::mantissa + 1) : parts.exponent;
  V result = logarithm<base>(parts);
  result = x == infinity || x != x ? x : result;
  result = x < 0 ? V(__builtin_nanf("")) : result;
  return x == 0 ? V(-infinity) : result;
}

template <Base base, typename V> [[gnu::always_inline]] inline V logarithmOf(V x) {
  if constexpr (!splitsAll<V>)
    if (any(isSpecial(x))) [[unlikely]]
      return specialLogarithm<base>(x);
  return logarithm<base>(split<base>(x));
}

template <typename V> [[gnu::always_inline]] inline V logarithmOfOnePlus(V x) {
  V sum = 1 + x;
  Split<V> parts = split<Base::Natural>(sum);
  // The rounding error of the sum, exactly: the larger operand comes first. It is at most 1: beyond 2^60 it has no
  // effect, and the power of a normal number suffices.
  V lost = absolute(x) > 1 ? 1 - (sum - x) : x - (sum - 1);
  parts.low = lost * powerOfTwo(-(parts.exponent > 60 ? V(60) : parts.exponent));
  V result = logarithm<Base::Natural>(parts);
  if (any(isSpecial(sum))) [[unlikely]] {
    constexpr auto infinity = __builtin_inff();
    result = sum == infinity || x != x ? x : result;
    result = sum < 0 ? V(__builtin_nanf("")) : result;
    result = sum == 0 ? V(-infinity) : result;
  }
  return x == 0 ? x : result;
}

} // namespace

extern "C" F32 TREADLE_ROUTINE(log, f32)(F32 x) { return logarithmOf<Base::Natural>(x); }
extern "C" F64 TREADLE_ROUTINE(log, f64)(F64 x) { return logarithmOf<Base::Natural>(x); }
extern "C" F32 TREADLE_ROUTINE(log2, f32)(F32 x) { return logarithmOf<Base::Binary>(x); }
extern "C" F64 TREADLE_ROUTINE(log2, f64)(F64 x) { return logarithmOf<Base::Binary>(x); }
extern "C" F32 TREADLE_ROUTINE(log10, f32)(F32 x) { return logarithmOf<Base::Decimal>(x); }
extern "C" F64 TREADLE_ROUTINE(log10, f64)(F64 x) { return logarithmOf<Base::Decimal>(x); }
extern "C" F32 TREADLE_ROUTINE(log1p, f32)(F32 x) { return logarithmOfOnePlus(x); }
extern "C" F64 TREADLE_ROUTINE(log1p, f64)(F64 x) { return logarithmOfOnePlus(x); }
