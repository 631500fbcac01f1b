// bf16 on the host: the upper half of a float, rounded once from what the operation gives exactly.
#pragma once

#include "cuda.h"

struct __nv_bfloat16 {
  unsigned short bits;
};
struct __nv_bfloat162 {
  __nv_bfloat16 x, y;
};

namespace host {
/// Rounds to odd into a float, then to nearest: together one rounding.
inline float oddFloat(double exact) {
  const float nearest = static_cast<float>(exact);
  if (static_cast<double>(nearest) == exact || exact != exact || std::isinf(nearest))
    return nearest;
  const float zero = std::fabs(nearest) > std::fabs(exact) ? std::nextafter(nearest, 0.0f) : nearest;
  return std::bit_cast<float>(std::bit_cast<unsigned>(zero) | 1);
}
} // namespace host

inline float __bfloat162float(__nv_bfloat16 a) { return std::bit_cast<float>(unsigned{a.bits} << 16); }
inline __nv_bfloat16 __float2bfloat16(float a) {
  if (a != a)
    return {0x7FFF};
  const unsigned bits = std::bit_cast<unsigned>(a);
  return {static_cast<unsigned short>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)};
}
inline __nv_bfloat16 __float2bfloat16_rn(float a) { return __float2bfloat16(a); }
inline __nv_bfloat16 __float2bfloat16_rz(float a) {
  return a != a ? __nv_bfloat16{0x7FFF} : __nv_bfloat16{static_cast<unsigned short>(std::bit_cast<unsigned>(a) >> 16)};
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.bits; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return {a}; }
inline __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __float2bfloat16(host::oddFloat(double{__bfloat162float(a)} + __bfloat162float(b)));
}
inline __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __float2bfloat16(host::oddFloat(double{__bfloat162float(a)} - __bfloat162float(b)));
}
inline __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __float2bfloat16(host::oddFloat(double{__bfloat162float(a)} * __bfloat162float(b)));
}
inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __float2bfloat16(host::oddFloat(double{__bfloat162float(a)} * __bfloat162float(b) + __bfloat162float(c)));
}
inline __nv_bfloat16 __hneg(__nv_bfloat16 a) { return {static_cast<unsigned short>(a.bits ^ 0x8000)}; }
inline __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __bfloat162float(a) < __bfloat162float(b) ? b : a;
}
inline bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) < __bfloat162float(b); }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__float2bfloat16(a), __float2bfloat16(b)}; }
inline __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }
inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
