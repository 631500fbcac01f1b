// Conversions between numbers, with CUDA's names: rounding as the name says, then clamped to the result's range.
#pragma once

namespace host {

enum class Mode { Nearest = FE_TONEAREST, Zero = FE_TOWARDZERO, Down = FE_DOWNWARD, Up = FE_UPWARD };

/// Runs the operation under the mode; volatile operands keep it from being moved or folded.
template <class F> auto under(Mode mode, F f) {
  std::fesetround(static_cast<int>(mode));
  volatile auto result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class T> T integral(T value, Mode mode) {
  switch (mode) {
  case Mode::Nearest:
    return std::nearbyint(value);
  case Mode::Zero:
    return std::trunc(value);
  case Mode::Down:
    return std::floor(value);
  default:
    return std::ceil(value);
  }
}

/// What is no number becomes 0, or the highest bit alone in results of 64 bits.
template <class To, class From> To toInteger(From value, Mode mode) {
  if (value != value)
    return sizeof(To) == 8 ? static_cast<To>(uint64_t{1} << 63) : To{0};
  const From whole = integral(value, mode), limit = std::ldexp(From{1}, std::numeric_limits<To>::digits);
  if (whole >= limit)
    return std::numeric_limits<To>::max();
  if (whole < static_cast<From>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  return static_cast<To>(whole);
}

template <class To, class From> To toFloat(From value, Mode mode) {
  return under(mode, [&] {
    volatile From kept = value;
    return static_cast<To>(kept);
  });
}

} // namespace host

#define HOST_ROUNDINGS(CONVERT)                                                                                        \
  CONVERT(rn, Nearest)                                                                                                 \
  CONVERT(rz, Zero)                                                                                                    \
  CONVERT(rd, Down)                                                                                                    \
  CONVERT(ru, Up)
#define HOST_TO_INTEGER(suffix, mode)                                                                                  \
  inline int __float2int_##suffix(float v) { return host::toInteger<int>(v, host::Mode::mode); }                       \
  inline unsigned __float2uint_##suffix(float v) { return host::toInteger<unsigned>(v, host::Mode::mode); }            \
  inline long long __float2ll_##suffix(float v) { return host::toInteger<long long>(v, host::Mode::mode); }            \
  inline unsigned long long __float2ull_##suffix(float v) {                                                            \
    return host::toInteger<unsigned long long>(v, host::Mode::mode);                                                   \
  }                                                                                                                    \
  inline int __double2int_##suffix(double v) { return host::toInteger<int>(v, host::Mode::mode); }                     \
  inline unsigned __double2uint_##suffix(double v) { return host::toInteger<unsigned>(v, host::Mode::mode); }          \
  inline long long __double2ll_##suffix(double v) { return host::toInteger<long long>(v, host::Mode::mode); }          \
  inline unsigned long long __double2ull_##suffix(double v) {                                                          \
    return host::toInteger<unsigned long long>(v, host::Mode::mode);                                                   \
  }
#define HOST_TO_FLOAT(suffix, mode)                                                                                    \
  inline float __int2float_##suffix(int v) { return host::toFloat<float>(v, host::Mode::mode); }                       \
  inline float __uint2float_##suffix(unsigned v) { return host::toFloat<float>(v, host::Mode::mode); }                 \
  inline float __ll2float_##suffix(long long v) { return host::toFloat<float>(v, host::Mode::mode); }                  \
  inline float __ull2float_##suffix(unsigned long long v) { return host::toFloat<float>(v, host::Mode::mode); }        \
  inline double __ll2double_##suffix(long long v) { return host::toFloat<double>(v, host::Mode::mode); }               \
  inline double __ull2double_##suffix(unsigned long long v) { return host::toFloat<double>(v, host::Mode::mode); }     \
  inline float __double2float_##suffix(double v) { return host::toFloat<float>(v, host::Mode::mode); }
HOST_ROUNDINGS(HOST_TO_INTEGER)
HOST_ROUNDINGS(HOST_TO_FLOAT)
#undef HOST_TO_INTEGER
#undef HOST_TO_FLOAT

inline double __int2double_rn(int v) { return v; }
inline double __uint2double_rn(unsigned v) { return v; }

inline int __float_as_int(float v) { return std::bit_cast<int>(v); }
inline unsigned __float_as_uint(float v) { return std::bit_cast<unsigned>(v); }
inline float __int_as_float(int v) { return std::bit_cast<float>(v); }
inline float __uint_as_float(unsigned v) { return std::bit_cast<float>(v); }
inline long long __double_as_longlong(double v) { return std::bit_cast<long long>(v); }
inline double __longlong_as_double(long long v) { return std::bit_cast<double>(v); }
inline int __double2hiint(double v) { return static_cast<int>(std::bit_cast<uint64_t>(v) >> 32); }
inline int __double2loint(double v) { return static_cast<int>(std::bit_cast<uint64_t>(v)); }
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low));
}
