// Instructions against the same operation in C++, on edges and random numbers, bit for bit.
#include "oracle.h"

#include <cfenv>
#include <functional>

namespace ptxmachine {
namespace {

using u16 = uint16_t;
using s16 = int16_t;
using u32 = uint32_t;
using s32 = int32_t;
using u64 = uint64_t;
using s64 = int64_t;

TEST(Oracle, SumsAndProducts) {
  CHECK2("add.u16", u16, u16, static_cast<u16>(a + b));
  CHECK2("add.s32", u32, u32, a + b);
  CHECK2("add.s64", u64, u64, a + b);
  CHECK2("sub.s16", u16, u16, static_cast<u16>(a - b));
  CHECK2("sub.u32", u32, u32, a - b);
  CHECK2("sub.s64", u64, u64, a - b);
  CHECK2("add.sat.s32", s32, s32, static_cast<s32>(std::clamp<s64>(s64{a} + b, INT32_MIN, INT32_MAX)));
  CHECK2("sub.sat.s32", s32, s32, static_cast<s32>(std::clamp<s64>(s64{a} - b, INT32_MIN, INT32_MAX)));
  CHECK2("mul.lo.s16", u16, u16, static_cast<u16>(u32{a} * b));
  CHECK2("mul.lo.s32", u32, u32, a * b);
  CHECK2("mul.lo.u64", u64, u64, a * b);
  CHECK2("mul.hi.s16", s16, s16, static_cast<s16>(s32{a} * b >> 16));
  CHECK2("mul.hi.u32", u32, u32, static_cast<u32>(u64{a} * b >> 32));
  CHECK2("mul.hi.s32", s32, s32, static_cast<s32>(s64{a} * b >> 32));
  CHECK2("mul.hi.u64", u64, u64, static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64));
  CHECK2("mul.hi.s64", s64, s64, static_cast<s64>(static_cast<__int128>(a) * b >> 64));
  CHECK2("mul.wide.u16", u32, u16, u32{a} * b);
  CHECK2("mul.wide.s16", s32, s16, s32{a} * b);
  CHECK2("mul.wide.u32", u64, u32, u64{a} * b);
  CHECK2("mul.wide.s32", s64, s32, s64{a} * b);
  CHECK3("mad.lo.s32", u32, u32, a * b + c);
  CHECK3("mad.lo.u64", u64, u64, a * b + c);
  CHECK3("mad.hi.u32", u32, u32, static_cast<u32>(u64{a} * b >> 32) + c);
  CHECK3("mad.hi.s64", u64, u64,
         static_cast<u64>(static_cast<__int128>(static_cast<s64>(a)) * static_cast<s64>(b) >> 64) + c);
  compare<s64, s32, s32, u64>("mad.wide.s32", 3, ".b64",
                              [](s32 a, s32 b, u64 c) { return static_cast<s64>(static_cast<u64>(s64{a} * b) + c); });
  compare<u64, u32, u32, u64>("mad.wide.u32", 3, ".b64", [](u32 a, u32 b, u64 c) { return u64{a} * b + c; });
  CHECK2("mul24.lo.u32", u32, u32, static_cast<u32>(u64{a & 0xFFFFFF} * (b & 0xFFFFFF)));
  CHECK2("mul24.hi.u32", u32, u32, static_cast<u32>(u64{a & 0xFFFFFF} * (b & 0xFFFFFF) >> 16));
  CHECK3("sad.s32", u32, s32, static_cast<u32>(c) + static_cast<u32>(a < b ? s64{b} - a : s64{a} - b));
}

TEST(Oracle, QuotientsAndChoices) {
  CHECK2("div.u32", u32, u32, b ? a / b : ~u32{0});
  CHECK2("rem.u32", u32, u32, b ? a % b : a);
  CHECK2("div.s32", s32, s32, b ? static_cast<s32>(s64{a} / b) : -1);
  CHECK2("rem.s32", s32, s32, b ? static_cast<s32>(s64{a} % b) : a);
  CHECK2("div.u64", u64, u64, b ? a / b : ~u64{0});
  CHECK2("div.s64", s64, s64, b ? static_cast<s64>(static_cast<__int128>(a) / b) : -1);
  CHECK2("rem.s64", s64, s64, b ? static_cast<s64>(static_cast<__int128>(a) % b) : a);
  CHECK2("div.s16", s16, s16, b ? static_cast<s16>(a / b) : static_cast<s16>(-1));
  CHECK2("min.s32", s32, s32, std::min(a, b));
  CHECK2("min.u64", u64, u64, std::min(a, b));
  CHECK2("max.u16", u16, u16, std::max(a, b));
  CHECK2("max.s64", s64, s64, std::max(a, b));
  CHECK1("abs.s32", u32, s32, a < 0 ? 0u - static_cast<u32>(a) : static_cast<u32>(a));
  CHECK1("abs.s64", u64, s64, a < 0 ? u64{0} - static_cast<u64>(a) : static_cast<u64>(a));
  CHECK1("neg.s16", u16, u16, static_cast<u16>(-a));
  CHECK1("neg.s64", u64, u64, 0 - a);
}

u64 field(u64 a, u32 position, u32 length, unsigned width, bool isSigned) {
  position &= 255, length &= 255;
  u64 result = 0;
  const u32 top = std::min<u32>(position + length - 1, width - 1);
  const bool sign = isSigned && length && (a >> top & 1);
  for (unsigned at = 0; at < width; ++at)
    result |= u64{at < length && position + at < width ? static_cast<bool>(a >> (position + at) & 1) : sign} << at;
  return result;
}

TEST(Oracle, Bits) {
  CHECK2("and.b32", u32, u32, a & b);
  CHECK2("or.b64", u64, u64, a | b);
  CHECK2("xor.b16", u16, u16, static_cast<u16>(a ^ b));
  CHECK1("not.b32", u32, u32, ~a);
  CHECK1("cnot.b32", u32, u32, a ? 0 : 1);
  compare<u32, u32, u32, u32>("shl.b32", 2, ".b32", [](u32 a, u32 b, u32) { return b > 31 ? 0 : a << b; });
  compare<u64, u64, u32, u32>("shl.b64", 2, ".b64", [](u64 a, u32 b, u32) { return b > 63 ? 0 : a << b; });
  compare<u16, u16, u32, u32>("shl.b16", 2, ".b16",
                              [](u16 a, u32 b, u32) { return static_cast<u16>(b > 15 ? 0 : a << b); });
  compare<u32, u32, u32, u32>("shr.u32", 2, ".b32", [](u32 a, u32 b, u32) { return b > 31 ? 0 : a >> b; });
  compare<s32, s32, u32, u32>("shr.s32", 2, ".b32", [](s32 a, u32 b, u32) { return a >> std::min(b, 31u); });
  compare<s64, s64, u32, u32>("shr.s64", 2, ".b64", [](s64 a, u32 b, u32) { return a >> std::min(b, 63u); });
  compare<u64, u64, u32, u32>("shr.u64", 2, ".b64", [](u64 a, u32 b, u32) { return b > 63 ? 0 : a >> b; });
  CHECK3("shf.l.wrap.b32", u32, u32, static_cast<u32>((u64{b} << 32 | a) << (c & 31) >> 32));
  CHECK3("shf.r.wrap.b32", u32, u32, static_cast<u32>((u64{b} << 32 | a) >> (c & 31)));
  CHECK3("shf.l.clamp.b32", u32, u32, static_cast<u32>((u64{b} << 32 | a) << std::min(c, 32u) >> 32));
  CHECK3("shf.r.clamp.b32", u32, u32, static_cast<u32>((u64{b} << 32 | a) >> std::min(c, 32u)));
  CHECK3("bfe.u32", u32, u32, static_cast<u32>(field(a, b, c, 32, false)));
  CHECK3("bfe.s32", u32, u32, static_cast<u32>(field(a, b, c, 32, true)));
  compare<u64, u64, u32, u32>("bfe.u64", 3, ".b64", [](u64 a, u32 b, u32 c) { return field(a, b, c, 64, false); });
  compare<u64, u64, u32, u32>("bfe.s64", 3, ".b64", [](u64 a, u32 b, u32 c) { return field(a, b, c, 64, true); });
  CHECK1("brev.b32", u32, u32, __builtin_bitreverse32(a));
  CHECK1("brev.b64", u64, u64, __builtin_bitreverse64(a));
  CHECK1("clz.b32", u32, u32, static_cast<u32>(std::countl_zero(a)));
  CHECK1("clz.b64", u32, u64, static_cast<u32>(std::countl_zero(a)));
  CHECK1("popc.b64", u32, u64, static_cast<u32>(std::popcount(a)));
  CHECK1("bfind.u32", u32, u32, a ? 31 - static_cast<u32>(std::countl_zero(a)) : ~u32{0});
  CHECK1("bfind.s32", u32, s32,
         static_cast<u32>(a < 0 ? ~a : a) ? 31 - static_cast<u32>(std::countl_zero(static_cast<u32>(a < 0 ? ~a : a)))
                                          : ~u32{0});
  CHECK1("bfind.shiftamt.u64", u32, u64, a ? static_cast<u32>(std::countl_zero(a)) : ~u32{0});
}

/// Under another rounding; both sides are volatile, so that nothing is folded.
template <class T> T rounded(int mode, T a, T b, char operation, T c = 0) {
  volatile T x = a, y = b, z = c, result = 0;
  std::fesetround(mode);
  switch (operation) {
  case '+':
    result = x + y;
    break;
  case '-':
    result = x - y;
    break;
  case '*':
    result = x * y;
    break;
  case '/':
    result = x / y;
    break;
  case 's':
    result = std::sqrt(static_cast<T>(x));
    break;
  default:
    result = std::fma(static_cast<T>(x), static_cast<T>(y), static_cast<T>(z));
  }
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST(Oracle, Floats) {
#define ROUNDINGS(suffix, mode)                                                                                        \
  CHECK2("add." suffix ".f32", float, float, rounded(mode, a, b, '+'));                                                \
  CHECK2("sub." suffix ".f64", double, double, rounded(mode, a, b, '-'));                                              \
  CHECK2("mul." suffix ".f32", float, float, rounded(mode, a, b, '*'));                                                \
  CHECK2("mul." suffix ".f64", double, double, rounded(mode, a, b, '*'));                                              \
  CHECK2("div." suffix ".f32", float, float, rounded(mode, a, b, '/'));                                                \
  CHECK2("div." suffix ".f64", double, double, rounded(mode, a, b, '/'));                                              \
  CHECK1("sqrt." suffix ".f32", float, float, rounded(mode, a, a, 's'));                                               \
  CHECK1("rcp." suffix ".f64", double, double, rounded(mode, 1.0, a, '/'));                                            \
  CHECK3("fma." suffix ".f32", float, float, rounded(mode, a, b, 'f', c));                                             \
  CHECK3("fma." suffix ".f64", double, double, rounded(mode, a, b, 'f', c))
  ROUNDINGS("rn", FE_TONEAREST);
  ROUNDINGS("rz", FE_TOWARDZERO);
  ROUNDINGS("rm", FE_DOWNWARD);
  ROUNDINGS("rp", FE_UPWARD);
  CHECK2("add.f32", float, float, a + b);
  CHECK2("add.sat.f32", float, float, a + b > 0 ? std::min(a + b, 1.0f) : 0.0f);
  CHECK2("mul.ftz.f32", float, float, [](float x, float y) {
    const auto flush = [](float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; };
    return flush(flush(x) * flush(y));
  }(a, b));
  CHECK1("neg.f32", u32, u32, a ^ 0x80000000);
  CHECK1("abs.f64", double, double, std::fabs(a));
  CHECK2("copysign.f32", u32, u32, (b & 0x7FFFFFFF) | (a & 0x80000000));
  CHECK2("min.f32", float, float,
         std::isnan(a)   ? b
         : std::isnan(b) ? a
         : a == b        ? (std::signbit(a) ? a : b)
                         : std::min(a, b));
  CHECK2("max.f64", double, double,
         std::isnan(a)   ? b
         : std::isnan(b) ? a
         : a == b        ? (std::signbit(a) ? b : a)
                         : std::max(a, b));
  CHECK2("min.NaN.f32", float, float,
         std::isnan(a) || std::isnan(b) ? NAN
         : a == b                       ? (std::signbit(a) ? a : b)
                                        : std::min(a, b));
}

TEST(Oracle, Comparisons) {
  PREDICATE("setp.lt.s32", s32, a < b);
  PREDICATE("setp.lo.u32", u32, a < b);
  PREDICATE("setp.hs.u64", u64, a >= b);
  PREDICATE("setp.gt.s16", s16, a > b);
  PREDICATE("setp.eq.b64", u64, a == b);
  PREDICATE("setp.lt.f32", float, a < b);
  PREDICATE("setp.ne.f32", float, !std::isnan(a) && !std::isnan(b) && a != b);
  PREDICATE("setp.neu.f64", double, a != b);
  PREDICATE("setp.geu.f32", float, !(a < b));
  PREDICATE("setp.ltu.f64", double, !(a >= b));
  PREDICATE("setp.num.f32", float, !std::isnan(a) && !std::isnan(b));
  PREDICATE("setp.nan.f64", double, std::isnan(a) || std::isnan(b));
  CHECK2("set.gt.u32.s32", u32, s32, a > b ? ~u32{0} : 0);
  CHECK2("set.le.f32.f32", float, float, a <= b ? 1.0f : 0.0f);
}

template <class To, class From> To clamped(From value) {
  if (std::isnan(value))
    return sizeof(To) == 8 ? static_cast<To>(u64{1} << 63) : To{0};
  const long double wide = value;
  if (wide <= static_cast<long double>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (wide >= static_cast<long double>(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return static_cast<To>(wide);
}

TEST(Oracle, Conversions) {
  compare<u64, s32, s32, s32>("cvt.s64.s32", 1, ".b64", [](s32 a, s32, s32) { return static_cast<u64>(s64{a}); });
  compare<u64, u32, u32, u32>("cvt.u64.u32", 1, ".b64", [](u32 a, u32, u32) { return u64{a}; });
  compare<u32, u64, u64, u64>("cvt.u32.u64", 1, ".b32", [](u64 a, u64, u64) { return static_cast<u32>(a); });
  compare<s32, s64, s64, s64>("cvt.sat.s32.s64", 1, ".b32", [](s64 a, s64, s64) {
    return static_cast<s32>(std::clamp<s64>(a, INT32_MIN, INT32_MAX));
  });
  compare<u32, u32, u32, u32>("cvt.s32.s8", 1, ".b32",
                              [](u32 a, u32, u32) { return static_cast<u32>(s32{static_cast<int8_t>(a)}); });
  compare<float, s32, s32, s32>("cvt.rn.f32.s32", 1, ".f32", [](s32 a, s32, s32) { return static_cast<float>(a); });
  compare<float, u64, u64, u64>("cvt.rn.f32.u64", 1, ".f32", [](u64 a, u64, u64) { return static_cast<float>(a); });
  compare<double, s64, s64, s64>("cvt.rn.f64.s64", 1, ".f64", [](s64 a, s64, s64) { return static_cast<double>(a); });
  compare<float, double, double, double>("cvt.rn.f32.f64", 1, ".f32",
                                         [](double a, double, double) { return static_cast<float>(a); });
  compare<double, float, float, float>("cvt.f64.f32", 1, ".f64", [](float a, float, float) { return double{a}; });
  compare<s32, float, float, float>("cvt.rzi.s32.f32", 1, ".b32",
                                    [](float a, float, float) { return clamped<s32>(std::trunc(a)); });
  compare<u32, double, double, double>("cvt.rni.u32.f64", 1, ".b32",
                                       [](double a, double, double) { return clamped<u32>(std::nearbyint(a)); });
  compare<s64, double, double, double>("cvt.rmi.s64.f64", 1, ".b64",
                                       [](double a, double, double) { return clamped<s64>(std::floor(a)); });
  compare<u64, float, float, float>("cvt.rpi.u64.f32", 1, ".b64",
                                    [](float a, float, float) { return clamped<u64>(std::ceil(a)); });
  compare<float, float, float, float>("cvt.rni.f32.f32", 1, ".f32",
                                      [](float a, float, float) { return std::nearbyint(a); });
  compare<double, double, double, double>("cvt.rpi.f64.f64", 1, ".f64",
                                          [](double a, double, double) { return std::ceil(a); });
  // Halves, by the compiler's own type.
  compare<float, u16, u16, u16>("cvt.f32.f16", 1, ".f32",
                                [](u16 a, u16, u16) { return static_cast<float>(std::bit_cast<_Float16>(a)); });
  compare<u16, float, float, float>("cvt.rn.f16.f32", 1, ".b16", [](float a, float, float) {
    return std::isnan(a) ? u16{0x7FFF} : std::bit_cast<u16>(static_cast<_Float16>(a));
  });
}

TEST(Oracle, Halves) {
  const auto same = [](_Float16 value) { return value != value ? u16{0x7FFF} : std::bit_cast<u16>(value); };
  compare<u16, u16, u16, u16>("add.f16", 2, ".b16", [&](u16 a, u16 b, u16) {
    return same(std::bit_cast<_Float16>(a) + std::bit_cast<_Float16>(b));
  });
  compare<u16, u16, u16, u16>("mul.f16", 2, ".b16", [&](u16 a, u16 b, u16) {
    return same(std::bit_cast<_Float16>(a) * std::bit_cast<_Float16>(b));
  });
  compare<u16, u16, u16, u16>("sub.f16", 2, ".b16", [&](u16 a, u16 b, u16) {
    return same(std::bit_cast<_Float16>(a) - std::bit_cast<_Float16>(b));
  });
  const auto isLess = [](u32 a, u32 b) {
    return std::bit_cast<_Float16>(static_cast<u16>(a)) < std::bit_cast<_Float16>(static_cast<u16>(b));
  };
  compare<u16, u16, u16, u16>("set.lt.f16.f16", 2, ".b16",
                              [&](u16 a, u16 b, u16) { return isLess(a, b) ? u16{0x3C00} : u16{0}; });
  compare<u16, u16, u16, u16>("set.gt.u16.f16", 2, ".b16",
                              [&](u16 a, u16 b, u16) { return isLess(b, a) ? u16{0xFFFF} : u16{0}; });
  compare<u32, u32, u32, u32>("set.lt.f16x2.f16x2", 2, ".b32", [&](u32 a, u32 b, u32) {
    return (isLess(a, b) ? 0x3C00u : 0) | (isLess(a >> 16, b >> 16) ? 0x3C000000u : 0);
  });
  compare<u32, u32, u32, u32>("set.gt.u32.f16x2", 2, ".b32", [&](u32 a, u32 b, u32) {
    return (isLess(b, a) ? 0xFFFFu : 0) | (isLess(b >> 16, a >> 16) ? 0xFFFF0000u : 0);
  });
}

} // namespace
} // namespace ptxmachine
