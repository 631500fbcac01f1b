// Integer functions: bits, high halves, sums of products, bytes in words.
#pragma once

inline int __popc(unsigned value) { return std::popcount(value); }
inline int __popcll(unsigned long long value) { return std::popcount(value); }
inline int __clz(int value) { return std::countl_zero(static_cast<unsigned>(value)); }
inline int __clzll(long long value) { return std::countl_zero(static_cast<unsigned long long>(value)); }
inline int __ffs(int value) { return __builtin_ffs(value); }
inline int __ffsll(long long value) { return __builtin_ffsll(value); }
inline unsigned __brev(unsigned value) { return __builtin_bitreverse32(value); }
inline unsigned long long __brevll(unsigned long long value) { return __builtin_bitreverse64(value); }

inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const uint64_t both = uint64_t{high} << 32 | low;
  unsigned result = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    const unsigned which = selector >> 4 * byte & 15;
    const unsigned value = static_cast<unsigned>(both >> (which & 7) * 8) & 255;
    result |= (which & 8 ? (value & 128 ? 255u : 0u) : value) << 8 * byte;
  }
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((uint64_t{high} << 32 | low) << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((uint64_t{high} << 32 | low) >> (by & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((uint64_t{high} << 32 | low) << std::min(by, 32u) >> 32);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((uint64_t{high} << 32 | low) >> std::min(by, 32u));
}

inline int __mulhi(int a, int b) { return static_cast<int>(int64_t{a} * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(uint64_t{a} * b >> 32); }
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __mul24(int a, int b) {
  const auto cut = [](int value) { return static_cast<int>(static_cast<unsigned>(value) << 8) >> 8; };
  return static_cast<int>(int64_t{cut(a)} * cut(b));
}
inline unsigned __umul24(unsigned a, unsigned b) {
  return static_cast<unsigned>(uint64_t{a & 0xFFFFFF} * (b & 0xFFFFFF));
}
inline unsigned __sad(int a, int b, unsigned sum) {
  return sum + static_cast<unsigned>(a < b ? int64_t{b} - a : int64_t{a} - b);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned sum) { return sum + (a < b ? b - a : a - b); }
inline int __hadd(int a, int b) { return static_cast<int>((int64_t{a} + b) >> 1); }
inline int __rhadd(int a, int b) { return static_cast<int>((int64_t{a} + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return static_cast<unsigned>((uint64_t{a} + b) >> 1); }

namespace host {
/// Element `at` of a word of elements of type T.
template <class T> T element(uint32_t word, unsigned at) { return static_cast<T>(word >> at * sizeof(T) * 8); }
template <class T, class F> unsigned perElement(unsigned a, unsigned b, F f) {
  unsigned result = 0;
  constexpr unsigned bits = sizeof(T) * 8, mask = (1u << bits) - 1;
  for (unsigned at = 0; at < 32 / bits; ++at)
    result |= (static_cast<unsigned>(f(int{element<T>(a, at)}, int{element<T>(b, at)})) & mask) << at * bits;
  return result;
}
template <class A, class B, class C> C dot4(A a, B b, C sum) {
  using First = std::conditional_t<std::is_signed_v<A>, signed char, unsigned char>;
  using Second = std::conditional_t<std::is_signed_v<B>, signed char, unsigned char>;
  unsigned result = static_cast<unsigned>(sum);
  for (unsigned at = 0; at < 4; ++at)
    result += static_cast<unsigned>(element<First>(static_cast<unsigned>(a), at) *
                                    element<Second>(static_cast<unsigned>(b), at));
  return static_cast<C>(result);
}
template <class T> T dot2(T a, T b, T sum, unsigned first) {
  using Wide = std::conditional_t<std::is_signed_v<T>, short, unsigned short>;
  using Narrow = std::conditional_t<std::is_signed_v<T>, signed char, unsigned char>;
  unsigned result = static_cast<unsigned>(sum);
  for (unsigned at = 0; at < 2; ++at)
    result += static_cast<unsigned>(element<Wide>(static_cast<unsigned>(a), at) *
                                    element<Narrow>(static_cast<unsigned>(b), at + first));
  return static_cast<T>(result);
}
} // namespace host

inline int __dp4a(int a, int b, int sum) { return host::dot4(a, b, sum); }
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) { return host::dot4(a, b, sum); }
inline int __dp2a_lo(int a, int b, int sum) { return host::dot2(a, b, sum, 0); }
inline int __dp2a_hi(int a, int b, int sum) { return host::dot2(a, b, sum, 2); }
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) { return host::dot2(a, b, sum, 0); }
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned sum) { return host::dot2(a, b, sum, 2); }

#define HOST_ELEMENTS(name, type, expression)                                                                          \
  inline unsigned name(unsigned x, unsigned y) {                                                                       \
    return host::perElement<type>(x, y, [](int a, int b) { return expression; });                                      \
  }
HOST_ELEMENTS(__vadd4, unsigned char, a + b)
HOST_ELEMENTS(__vsub4, unsigned char, a - b)
HOST_ELEMENTS(__vaddus4, unsigned char, std::min(a + b, 255))
HOST_ELEMENTS(__vsubus4, unsigned char, std::max(a - b, 0))
HOST_ELEMENTS(__vaddss4, signed char, std::clamp(a + b, -128, 127))
HOST_ELEMENTS(__vavgu4, unsigned char, (a + b + 1) >> 1)
HOST_ELEMENTS(__vmaxs4, signed char, std::max(a, b))
HOST_ELEMENTS(__vminu4, unsigned char, std::min(a, b))
HOST_ELEMENTS(__vabsdiffu4, unsigned char, std::abs(a - b))
HOST_ELEMENTS(__vcmpeq4, unsigned char, a == b ? 255 : 0)
HOST_ELEMENTS(__vcmpgts4, signed char, a > b ? 255 : 0)
HOST_ELEMENTS(__vcmpltu4, unsigned char, a < b ? 255 : 0)
HOST_ELEMENTS(__vadd2, unsigned short, a + b)
HOST_ELEMENTS(__vaddss2, short, std::clamp(a + b, -32768, 32767))
HOST_ELEMENTS(__vsub2, unsigned short, a - b)
HOST_ELEMENTS(__vmaxs2, short, std::max(a, b))
HOST_ELEMENTS(__vminu2, unsigned short, std::min(a, b))
HOST_ELEMENTS(__vmins2, short, std::min(a, b))
HOST_ELEMENTS(__vmaxu2, unsigned short, std::max(a, b))
HOST_ELEMENTS(__vabsdiffs2, short, std::abs(a - b))
#undef HOST_ELEMENTS
inline unsigned __vsadu4(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (unsigned at = 0; at < 4; ++at)
    sum += static_cast<unsigned>(
        std::abs(int{host::element<unsigned char>(a, at)} - int{host::element<unsigned char>(b, at)}));
  return sum;
}

// CUDA's overloads for integers.
using std::max;
using std::min;
inline unsigned min(unsigned a, int b) { return std::min(a, static_cast<unsigned>(b)); }
inline unsigned min(int a, unsigned b) { return std::min(static_cast<unsigned>(a), b); }
inline unsigned umin(unsigned a, unsigned b) { return std::min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return std::max(a, b); }
inline long long llmin(long long a, long long b) { return std::min(a, b); }
inline long long llmax(long long a, long long b) { return std::max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return std::min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return std::max(a, b); }
