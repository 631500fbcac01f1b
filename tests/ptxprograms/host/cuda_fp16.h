// Halves on the host: each operation is that of _Float16, which rounds once.
#pragma once

#include "cuda.h"

using __half = _Float16;
using half = _Float16;
struct __half2 {
  __half x, y;
};
using half2 = __half2;

namespace host {
constexpr unsigned short canonicalNaN = 0x7FFF;
/// GPUs give one NaN.
inline __half same(__half a) { return a != a ? std::bit_cast<__half>(canonicalNaN) : a; }
/// Fused: a double holds the product; what the sum loses is kept as an odd last bit, so that it rounds once.
inline __half fused(__half a, __half b, __half c) {
  const double product = double(a) * double(b), added = double(c), sum = product + added;
  const double part = sum - product, lost = (product - (sum - part)) + (added - part);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (std::isfinite(sum) && lost != 0 && !(bits & 1))
    bits += (lost > 0) == (sum > 0) ? 1 : -1;
  return same(static_cast<__half>(std::bit_cast<double>(bits)));
}
} // namespace host

inline __half __float2half(float a) { return host::same(static_cast<__half>(a)); }
inline __half __float2half_rn(float a) { return __float2half(a); }
inline __half __double2half(double a) { return host::same(static_cast<__half>(a)); }
inline float __half2float(__half a) { return static_cast<float>(a); }
inline __half __int2half_rn(int a) { return static_cast<__half>(static_cast<double>(a)); }
inline int __half2int_rz(__half a) { return host::toInteger<int>(static_cast<float>(a), host::Mode::Zero); }
inline int __half2int_rn(__half a) { return host::toInteger<int>(static_cast<float>(a), host::Mode::Nearest); }
inline unsigned short __half_as_ushort(__half a) { return std::bit_cast<unsigned short>(a); }
inline __half __ushort_as_half(unsigned short a) { return std::bit_cast<__half>(a); }
inline __half __hadd(__half a, __half b) { return host::same(a + b); }
inline __half __hsub(__half a, __half b) { return host::same(a - b); }
inline __half __hmul(__half a, __half b) { return host::same(a * b); }
inline __half __hdiv(__half a, __half b) { return host::same(static_cast<__half>(float(a) / float(b))); }
inline __half __hfma(__half a, __half b, __half c) { return host::fused(a, b, c); }
inline __half __hneg(__half a) { return -a; }
inline __half __habs(__half a) { return __ushort_as_half(__half_as_ushort(a) & 0x7FFF); }
inline __half __hmax(__half a, __half b) { return b != b ? a : a != a ? b : a < b ? b : a; }
inline __half __hmin(__half a, __half b) { return b != b ? a : a != a ? b : b < a ? b : a; }
inline __half __hadd_sat(__half a, __half b) { return a + b > 0 ? std::min<__half>(a + b, 1) : __half{0}; }
inline __half __hfma_relu(__half a, __half b, __half c) {
  const __half result = host::fused(a, b, c);
  return result < 0 ? __half{0} : result;
}
inline bool __hlt(__half a, __half b) { return a < b; }
inline bool __hge(__half a, __half b) { return a >= b; }
inline bool __heq(__half a, __half b) { return a == b; }
inline bool __hneu(__half a, __half b) { return !(a == b); }
inline bool __hisnan(__half a) { return a != a; }

inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __half2 __floats2half2_rn(float a, float b) { return {__float2half(a), __float2half(b)}; }
inline float __low2float(__half2 a) { return a.x; }
inline float __high2float(__half2 a) { return a.y; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
inline __half2 __hadd2(__half2 a, __half2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }
inline __half2 __hsub2(__half2 a, __half2 b) { return {__hsub(a.x, b.x), __hsub(a.y, b.y)}; }
inline __half2 __hmul2(__half2 a, __half2 b) { return {__hmul(a.x, b.x), __hmul(a.y, b.y)}; }
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
inline __half2 __hneg2(__half2 a) { return {-a.x, -a.y}; }
inline __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
inline __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
inline __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
inline __half2 __hgt2(__half2 a, __half2 b) { return {__half(a.x > b.x), __half(a.y > b.y)}; }
inline bool __hble2(__half2 a, __half2 b) { return a.x <= b.x && a.y <= b.y; }

inline __half2 atomicAdd(__half2 *where, __half2 value) {
  const __half2 old = *where;
  *where = __hadd2(old, value);
  return old;
}
