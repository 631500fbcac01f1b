// Arithmetic of floats with a rounding in its name, and the functions that CUDA has and the C library has not.
#pragma once

#define HOST_ARITHMETIC(suffix, mode, letter, prefix, type)                                                            \
  inline type __##letter##add_##suffix(type a, type b) {                                                               \
    volatile type x = a, y = b;                                                                                        \
    return host::under(host::Mode::mode, [&] { return x + y; });                                                       \
  }                                                                                                                    \
  inline type __##letter##sub_##suffix(type a, type b) {                                                               \
    volatile type x = a, y = b;                                                                                        \
    return host::under(host::Mode::mode, [&] { return x - y; });                                                       \
  }                                                                                                                    \
  inline type __##letter##mul_##suffix(type a, type b) {                                                               \
    volatile type x = a, y = b;                                                                                        \
    return host::under(host::Mode::mode, [&] { return x * y; });                                                       \
  }                                                                                                                    \
  inline type __##letter##div_##suffix(type a, type b) {                                                               \
    volatile type x = a, y = b;                                                                                        \
    return host::under(host::Mode::mode, [&] { return x / y; });                                                       \
  }                                                                                                                    \
  inline type __##letter##rcp_##suffix(type a) { return __##letter##div_##suffix(1, a); }                              \
  inline type __##letter##sqrt_##suffix(type a) {                                                                      \
    volatile type x = a;                                                                                               \
    return host::under(host::Mode::mode, [&] { return std::sqrt(static_cast<type>(x)); });                             \
  }                                                                                                                    \
  inline type __##prefix##_##suffix(type a, type b, type c) {                                                          \
    volatile type x = a, y = b, z = c;                                                                                 \
    return host::under(host::Mode::mode,                                                                               \
                       [&] { return std::fma(static_cast<type>(x), static_cast<type>(y), static_cast<type>(z)); });    \
  }
#define HOST_SINGLE(suffix, mode) HOST_ARITHMETIC(suffix, mode, f, fmaf, float)
#define HOST_DOUBLE(suffix, mode) HOST_ARITHMETIC(suffix, mode, d, fma, double)
HOST_ROUNDINGS(HOST_SINGLE)
HOST_ROUNDINGS(HOST_DOUBLE)
#undef HOST_SINGLE
#undef HOST_DOUBLE
#undef HOST_ARITHMETIC

inline float __saturatef(float a) { return a > 0 ? std::min(a, 1.0f) : 0.0f; }
inline float rsqrtf(float a) { return static_cast<float>(1.0 / std::sqrt(double{a})); }
inline double rsqrt(double a) { return 1.0 / std::sqrt(a); }
inline float rcbrtf(float a) { return static_cast<float>(1.0 / std::cbrt(double{a})); }
inline float fdividef(float a, float b) { return a / b; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __sinf(float a) { return std::sin(a); }
inline float __cosf(float a) { return std::cos(a); }
inline float __expf(float a) { return std::exp(a); }
inline float __exp10f(float a) { return static_cast<float>(std::pow(10.0, double{a})); }
inline float __logf(float a) { return std::log(a); }
inline float __log2f(float a) { return std::log2(a); }
inline float __log10f(float a) { return std::log10(a); }
inline float __powf(float a, float b) { return std::pow(a, b); }
inline float __tanf(float a) { return std::tan(a); }
inline float __frsqrt_rn(float a) { return rsqrtf(a); }

namespace host {
constexpr double pi = 3.14159265358979323846;
/// Of multiples of pi: what is left beside a whole number is exact.
inline double sinOfPi(double a) {
  const double part = std::remainder(a, 1.0), sine = std::sin(pi * part);
  return part == 0 ? std::copysign(0.0, a) : std::remainder(a - part, 2.0) != 0 ? -sine : sine;
}
inline double cosOfPi(double a) {
  const double part = std::fabs(std::remainder(a, 1.0));
  const double cosine = part <= 0.25 ? std::cos(pi * part) : std::sin(pi * (0.5 - part));
  return std::remainder(a - std::remainder(a, 1.0), 2.0) != 0 ? -cosine : cosine;
}
} // namespace host
inline float sinpif(float a) { return static_cast<float>(host::sinOfPi(a)); }
inline float cospif(float a) { return static_cast<float>(host::cosOfPi(a)); }
inline double sinpi(double a) { return host::sinOfPi(a); }
inline double cospi(double a) { return host::cosOfPi(a); }
inline double normcdf(double a) { return 0.5 * std::erfc(-a / std::sqrt(2.0)); }
inline float normcdff(float a) { return static_cast<float>(normcdf(a)); }
inline float norm3df(float a, float b, float c) {
  return static_cast<float>(std::sqrt(double{a} * a + double{b} * b + double{c} * c));
}
