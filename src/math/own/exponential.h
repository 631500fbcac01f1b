// What exp, expm1, sinh and cosh have in common.
#pragma once

#include "math/own/vector.h"

namespace {

/// x = power * ln 2 + rest + tail, |rest| <= ln 2 / 2, power whole.
template <typename V> struct ExponentialParts {
  V power, rest, tail;
};

template <typename V> struct ExponentialConstants;
template <> struct ExponentialConstants<F32> {
  static constexpr float perLn2 = 0x1.715476p+0f;
  static constexpr float ln2High = 0x1.62e400p-1f, ln2Low = 0x1.7f7d1cp-20f; ///< power * ln2High is exact
};
template <> struct ExponentialConstants<F64> {
  static constexpr double perLn2 = 0x1.71547652b82fep+0;
  static constexpr double ln2High = 0x1.62e42fefa3800p-1, ln2Low = 0x1.ef35793c76730p-45;
};

template <typename V> [[gnu::always_inline]] inline ExponentialParts<V> splitForExponential(V x) {
  using C = ExponentialConstants<V>;
  constexpr auto rounder = Format<V>::rounder;
  V power = multiplyAdd(x, V(C::perLn2), V(rounder)) - rounder;
  V high = multiplyAdd(power, V(-C::ln2High), x);
  V rest = multiplyAdd(power, V(-C::ln2Low), high);
  V tail = multiplyAdd(power, V(-C::ln2Low), high - rest);
  return {power, rest, tail};
}

/// (e^x - 1 - x) / x^2 for |x| <= ln 2 / 2, within 2^-57 of e^x.
[[gnu::always_inline]] inline F64 exponentialSeries(F64 x) {
  constexpr double coefficients[] = {0x1.000000000000ap-1,  0x1.55555555554f5p-3,  0x1.55555555505aep-5,
                                     0x1.1111111128adep-7,  0x1.6c16c184d592cp-10, 0x1.a01a01267cf33p-13,
                                     0x1.a019981bf5be5p-16, 0x1.71df2af5acdf7p-19, 0x1.28af55fa91d4bp-22,
                                     0x1.ad7be956832e5p-26};
  return polynomial(x, coefficients);
}

} // namespace
