// Tables of the float64 logarithms: of c[i], near 1 / (1 + i / 16), in three bases, each as a sum of two numbers.
#pragma once

namespace {

enum class Base { Natural, Binary, Decimal };

/// high is -log(c) to a multiple of 2^-42, as is ln2High = log(2): whole multiples of it add up exactly. low is the
/// rest. perLn = 1 / ln(base), in two parts.
template <Base base> struct LogarithmTable;

/// Short significands, so that x * c - 1 is exact where that matters.
constexpr double reciprocals[16] = {0x1p+0,    0x1.ep-1,  0x1.c8p-1, 0x1.bp-1,  0x1.98p-1, 0x1.88p-1,
                                    0x1.74p-1, 0x1.64p-1, 0x1.54p-1, 0x1.48p-1, 0x1.3cp-1, 0x1.3p-1,
                                    0x1.24p-1, 0x1.1cp-1, 0x1.1p-1,  0x1.08p-1};

template <> struct LogarithmTable<Base::Natural> {
  static constexpr double ln2High = 0x1.62e42fefa38p-1, ln2Low = 0x1.ef35793c7673p-45;
  static constexpr double perLnHigh = 0x1p+0, perLnLow = 0;
  static constexpr double high[16] = {0,
                                      0x1.08598b59e4p-4,
                                      0x1.da72763844p-4,
                                      0x1.5bf406b544p-3,
                                      0x1.d1037f2656p-3,
                                      0x1.1178e8227ep-2,
                                      0x1.4718dc271cp-2,
                                      0x1.741d876c68p-2,
                                      0x1.a33440225p-2,
                                      0x1.c7ff9c7455p-2,
                                      0x1.ee2a156b41p-2,
                                      0x1.0ae76e2d058p-1,
                                      0x1.1f8635fc618p-1,
                                      0x1.2dbf557b0ep-1,
                                      0x1.43d9ff2f92p-1,
                                      0x1.5322e268678p-1};
  static constexpr double low[16] = {0,
                                     -0x1.7e5dd7009902cp-46,
                                     0x1.a89401fa71733p-46,
                                     -0x1.27023eb68981cp-46,
                                     -0x1.84a7e75b6f6e4p-47,
                                     0x1.1ef78ce2d07f2p-44,
                                     0x1.06c18fb4c14c5p-44,
                                     -0x1.13a7b5b11cfa7p-44,
                                     -0x1.61cdd40314305p-44,
                                     0x1.324911f56db29p-44,
                                     0x1.f27f45a470251p-45,
                                     -0x1.82de51de06076p-44,
                                     -0x1.a7242c9fe81d3p-45,
                                     -0x1.7a6e507b9dc11p-46,
                                     0x1.e267b0b7efae1p-44,
                                     0x1.5ccc45d257531p-47};
};
template <> struct LogarithmTable<Base::Binary> {
  static constexpr double ln2High = 0x1p+0, ln2Low = 0;
  static constexpr double perLnHigh = 0x1.71547652b82fep+0, perLnLow = 0x1.777d0ffda0d24p-56;
  static constexpr double high[16] = {0,
                                      0x1.7d60496cfcp-4,
                                      0x1.563dc29ffap-3,
                                      0x1.f5fd8a9064p-3,
                                      0x1.4f6fbb2cecp-2,
                                      0x1.8a8980abfcp-2,
                                      0x1.d7e6c0abc3p-2,
                                      0x1.0c6caaf0c58p-1,
                                      0x1.2e644fac05p-1,
                                      0x1.48eef193178p-1,
                                      0x1.6476d98ad98p-1,
                                      0x1.810fa51bf68p-1,
                                      0x1.9ecf50bf44p-1,
                                      0x1.b35458761d8p-1,
                                      0x1.d338120a6ep-1,
                                      0x1.e9452c8a71p-1};
  static constexpr double low[16] = {0,
                                     -0x1.2ce6312ebb81dp-46,
                                     0x1.964190e41bca7p-44,
                                     -0x1.cb6f70109b0f1p-47,
                                     0x1.661e393a16b95p-44,
                                     -0x1.66cccab240e9p-45,
                                     0x1.5e30f52d6ae75p-44,
                                     -0x1.3483146784bd2p-44,
                                     -0x1.4275f1035e5e8p-48,
                                     0x1.90d43956fa5d8p-45,
                                     0x1.0993376649b5p-45,
                                     -0x1.0144751b3314fp-44,
                                     -0x1.d97ee9124773bp-46,
                                     -0x1.c343ea3e580ebp-44,
                                     -0x1.3167ccc538261p-44,
                                     0x1.3c6764fc87b4ap-48};
};
template <> struct LogarithmTable<Base::Decimal> {
  static constexpr double ln2High = 0x1.34413509f8p-2, ln2Low = -0x1.80433b83b532ap-44;
  static constexpr double perLnHigh = 0x1.bcb7b1526e50ep-2, perLnLow = 0x1.95355baaafad3p-57;
  static constexpr double high[16] = {0,
                                      0x1.cb38fccd9p-6,
                                      0x1.9c197abfp-5,
                                      0x1.2e3a740b78p-4,
                                      0x1.93e7de0fc4p-4,
                                      0x1.db11ed766cp-4,
                                      0x1.1c1ce9955cp-3,
                                      0x1.43371cde08p-3,
                                      0x1.6c1db5f9bcp-3,
                                      0x1.8c13437696p-3,
                                      0x1.ad39c9c2c6p-3,
                                      0x1.cfa8e765ccp-3,
                                      0x1.f37b15babp-3,
                                      0x1.06182e84fdp-2,
                                      0x1.194b3bdef7p-2,
                                      0x1.2691ecc29fp-2};
  static constexpr double low[16] = {0,
                                     -0x1.00925a535ae72p-44,
                                     0x1.badcf3d6e4566p-46,
                                     0x1.d288560689912p-53,
                                     -0x1.80743406505e6p-48,
                                     -0x1.40bcd23c3e44cp-44,
                                     0x1.8b891b6d05a73p-48,
                                     -0x1.27c6eaaed5307p-44,
                                     -0x1.994b8986fe812p-44,
                                     -0x1.59c2994d34d69p-44,
                                     0x1.fe6eb5a4df1dfp-49,
                                     -0x1.2386ad8b819b8p-45,
                                     0x1.1a1fc3b7d53cep-44,
                                     0x1.2af6538bc2ca6p-44,
                                     -0x1.1881d6fbdee94p-44,
                                     0x1.09ca54daae9f9p-48};
};

} // namespace
