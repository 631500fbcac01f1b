// Rows of integer arithmetic.
#include "map.h"
#include "row.h"

#include <limits>
#include <type_traits>

namespace ptxmachine {

namespace {

template <class T> using Bits = std::make_unsigned_t<T>;
template <class T> struct Twice;
template <> struct Twice<uint8_t> {
  using Type = uint16_t;
};
template <> struct Twice<int8_t> {
  using Type = int16_t;
};
template <> struct Twice<uint16_t> {
  using Type = uint32_t;
};
template <> struct Twice<int16_t> {
  using Type = int32_t;
};
template <> struct Twice<uint32_t> {
  using Type = uint64_t;
};
template <> struct Twice<int32_t> {
  using Type = int64_t;
};
template <> struct Twice<uint64_t> {
  using Type = unsigned __int128;
};
template <> struct Twice<int64_t> {
  using Type = __int128;
};
template <class T> using Wide = typename Twice<T>::Type;

template <class T> T sum(T a, T b) {
  return static_cast<T>(static_cast<Bits<T>>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b)));
}
template <class T> T difference(T a, T b) {
  return static_cast<T>(static_cast<Bits<T>>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b)));
}
template <class T> T low(T a, T b) { return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); }
template <class T> T high(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b) >> sizeof(T) * 8);
}
template <class T> Wide<T> wide(T a, T b) { return static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b); }
int32_t saturated(int64_t value) {
  return static_cast<int32_t>(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

/// A division by zero gives all ones, as GPUs do; the ISA leaves it open. The smallest number by -1 overflows to
/// itself.
template <class T> T quotient(T a, T b) {
  if (b == 0)
    return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return difference(T{0}, a);
  return static_cast<T>(a / b);
}
template <class T> T remainder(T a, T b) {
  if (b == 0)
    return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return 0;
  return static_cast<T>(a % b);
}

#define BINARY(Name, expression)                                                                                       \
  template <class T> struct Name {                                                                                     \
    static void run(Step &s, const Instruction &i) {                                                                   \
      map2<T, T>(s, i, [](T a, T b) -> T { return expression; });                                                      \
    }                                                                                                                  \
  }
BINARY(MulLow, low(a, b));
BINARY(MulHigh, high(a, b));
BINARY(Div, quotient(a, b));
BINARY(Rem, remainder(a, b));
BINARY(Min, b < a ? b : a);
BINARY(Max, a < b ? b : a);

template <class T> struct Add {
  static void run(Step &s, const Instruction &i) {
    const uint32_t tag = sumTag(s, i);
    map2<T, T>(s, i, sum<T>);
    s.setTag(i, tag);
  }
};
template <class T> struct Sub {
  static void run(Step &s, const Instruction &i) {
    const uint32_t tag = sumTag(s, i);
    map2<T, T>(s, i, difference<T>);
    s.setTag(i, tag);
  }
};
template <class T> struct MadLow {
  static void run(Step &s, const Instruction &i) {
    const uint32_t tag = sumTag(s, i);
    map3<T, T>(s, i, [](T a, T b, T c) { return sum(low(a, b), c); });
    s.setTag(i, tag);
  }
};
template <class T> struct MadHigh {
  static void run(Step &s, const Instruction &i) {
    map3<T, T>(s, i, [](T a, T b, T c) { return sum(high(a, b), c); });
  }
};
template <class T> struct Sad {
  static void run(Step &s, const Instruction &i) {
    map3<T, T>(s, i, [](T a, T b, T c) { return sum(c, a < b ? difference(b, a) : difference(a, b)); });
  }
};
template <class T> struct Neg {
  static void run(Step &s, const Instruction &i) {
    map1<T, T>(s, i, [](T a) { return difference(T{0}, a); });
  }
};
template <class T> struct Abs {
  static void run(Step &s, const Instruction &i) {
    map1<T, T>(s, i, [](T a) { return a < 0 ? difference(T{0}, a) : a; });
  }
};

template <class T> void mulWide(Step &s, const Instruction &i) { map2<T, Wide<T>>(s, i, wide<T>); }

/// The third operand is as wide as the result.
template <class T> void madWide(Step &s, const Instruction &i) {
  const uint32_t tag = sumTag(s, i);
  using W = Wide<T>;
  const Lanes &a = s.source(i, 0), &b = s.source(i, 1), &c = s.source(i, 2);
  mapLanes<W>(s, i, [&](unsigned lane) { return sum<W>(wide(a.get<T>(lane), b.get<T>(lane)), c.get<W>(lane)); });
  s.setTag(i, tag);
}

Execute chooseMulWide(const Spelling &s) {
  const Type t = s.type();
  return t.bits == 16   ? (t.isSigned() ? mulWide<int16_t> : mulWide<uint16_t>)
         : t.isSigned() ? mulWide<int32_t>
                        : mulWide<uint32_t>;
}
Execute chooseMadWide(const Spelling &s) {
  const Type t = s.type();
  return t.bits == 16   ? (t.isSigned() ? madWide<int16_t> : madWide<uint16_t>)
         : t.isSigned() ? madWide<int32_t>
                        : madWide<uint32_t>;
}

void addSaturated(Step &s, const Instruction &i) {
  map2<int32_t, int32_t>(s, i, [](int64_t a, int64_t b) { return saturated(a + b); });
}
void subSaturated(Step &s, const Instruction &i) {
  map2<int32_t, int32_t>(s, i, [](int64_t a, int64_t b) { return saturated(a - b); });
}
void madHighSaturated(Step &s, const Instruction &i) {
  map3<int32_t, int32_t>(s, i, [](int32_t a, int32_t b, int32_t c) { return saturated(int64_t{high(a, b)} + c); });
}

/// 24 bits of each factor; `.lo` is the low 32 of the 48 bits of their product, `.hi` the high 32.
template <class T> Wide<T> product24(T a, T b) {
  const auto cut = [](T value) { return static_cast<T>(static_cast<T>(static_cast<uint32_t>(value) << 8) >> 8); };
  return wide(cut(a), cut(b));
}
template <class T> void mul24(Step &s, const Instruction &i) {
  map2<T, T>(s, i, [&](T a, T b) { return static_cast<T>(product24(a, b) >> (i.flags ? 16 : 0)); });
}
template <class T> void mad24(Step &s, const Instruction &i) {
  map3<T, T>(s, i, [&](T a, T b, T c) { return sum(static_cast<T>(product24(a, b) >> (i.flags ? 16 : 0)), c); });
}
Execute chooseMul24(const Spelling &s) { return s.type().isSigned() ? mul24<int32_t> : mul24<uint32_t>; }
Execute chooseMad24(const Spelling &s) { return s.type().isSigned() ? mad24<int32_t> : mad24<uint32_t>; }
uint32_t isHigh(const Spelling &s) { return s.has("hi"); }

int64_t part(uint32_t word, unsigned at, unsigned bits, bool isSigned) {
  const uint32_t value = word >> at * bits & ((1u << bits) - 1);
  return isSigned && value >> (bits - 1) ? static_cast<int64_t>(value) - (int64_t{1} << bits) : value;
}
enum DotFlag : uint32_t { FirstSigned = 1, SecondSigned = 2, Upper = 4 };
uint32_t dotFlags(const Spelling &s) {
  return (s.types[0].isSigned() ? FirstSigned : 0u) | (s.types[1].isSigned() ? SecondSigned : 0u) |
         (s.has("hi") ? Upper : 0u);
}
void dot4(Step &s, const Instruction &i) {
  map3<uint32_t, uint32_t>(s, i, [&](uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned at = 0; at < 4; ++at)
      c += static_cast<uint32_t>(part(a, at, 8, i.flags & FirstSigned) * part(b, at, 8, i.flags & SecondSigned));
    return c;
  });
}
void dot2(Step &s, const Instruction &i) {
  map3<uint32_t, uint32_t>(s, i, [&](uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned at = 0; at < 2; ++at)
      c += static_cast<uint32_t>(part(a, at, 16, i.flags & FirstSigned) *
                                 part(b, at + (i.flags & Upper ? 2 : 0), 8, i.flags & SecondSigned));
    return c;
  });
}

/// Two halves of 16 bits; `.relu` gives 0 for what is negative.
template <class T> struct SumOf {
  static T apply(T a, T b) { return sum(a, b); }
};
template <class T> struct LeastOf {
  static T apply(T a, T b) { return b < a ? b : a; }
};
template <class T> struct MostOf {
  static T apply(T a, T b) { return a < b ? b : a; }
};
template <class Op, class T> void pair(Step &s, const Instruction &i) {
  map2<uint32_t, uint32_t>(s, i, [&](uint32_t a, uint32_t b) {
    const auto half = [&](uint32_t x, uint32_t y) {
      const T result = Op::apply(static_cast<T>(x), static_cast<T>(y));
      return uint32_t{static_cast<uint16_t>(i.flags && result < 0 ? T{0} : result)};
    };
    return half(a, b) | half(a >> 16, b >> 16) << 16;
  });
}
template <class Op> void clippedAtZero(Step &s, const Instruction &i) {
  map2<int32_t, int32_t>(s, i, [](int32_t a, int32_t b) {
    const int32_t result = Op::apply(a, b);
    return result < 0 ? 0 : result;
  });
}
uint32_t isClipped(const Spelling &s) { return s.has("relu"); }

template <Execute function> Execute always(const Spelling &) { return function; }

#define ALL "(u16|s16|u32|s32|u64|s64)"
constexpr Row rows[] = {
    {"add." ALL, "rvv", chooseInteger<Add>},
    {"add.sat.s32", "rvv", always<addSaturated>},
    {"sub." ALL, "rvv", chooseInteger<Sub>},
    {"sub.sat.s32", "rvv", always<subSaturated>},
    {"mul.lo." ALL, "rvv", chooseInteger<MulLow>},
    {"mul.hi." ALL, "rvv", chooseInteger<MulHigh>},
    {"mul.wide.(u16|s16|u32|s32)", "rvv", chooseMulWide},
    {"mad.lo." ALL, "rvvv", chooseInteger<MadLow>},
    {"mad.hi." ALL, "rvvv", chooseInteger<MadHigh>},
    {"mad.hi.sat.s32", "rvvv", always<madHighSaturated>},
    {"mad.wide.(u16|s16|u32|s32)", "rvvv", chooseMadWide},
    {"mul24.(lo|hi).(u32|s32)", "rvv", chooseMul24, isHigh},
    {"mad24.(lo|hi).(u32|s32)", "rvvv", chooseMad24, isHigh},
    {"sad." ALL, "rvvv", chooseInteger<Sad>},
    {"div." ALL, "rvv", chooseInteger<Div>},
    {"rem." ALL, "rvv", chooseInteger<Rem>},
    {"abs.(s16|s32|s64)", "rv", chooseInteger<Abs>},
    {"neg.(s16|s32|s64)", "rv", chooseInteger<Neg>},
    {"min." ALL, "rvv", chooseInteger<Min>},
    {"max." ALL, "rvv", chooseInteger<Max>},
    {"add.u16x2", "rvv", always<pair<SumOf<uint16_t>, uint16_t>>},
    {"add.s16x2", "rvv", always<pair<SumOf<int16_t>, int16_t>>},
    {"min.u16x2", "rvv", always<pair<LeastOf<uint16_t>, uint16_t>>},
    {"max.u16x2", "rvv", always<pair<MostOf<uint16_t>, uint16_t>>},
    {"min.[relu].s16x2", "rvv", always<pair<LeastOf<int16_t>, int16_t>>, isClipped},
    {"max.[relu].s16x2", "rvv", always<pair<MostOf<int16_t>, int16_t>>, isClipped},
    {"min.relu.s32", "rvv", always<clippedAtZero<LeastOf<int32_t>>>},
    {"max.relu.s32", "rvv", always<clippedAtZero<MostOf<int32_t>>>},
    {"dp4a.(u32|s32).(u32|s32)", "rvvv", always<dot4>, dotFlags},
    {"dp2a.(lo|hi).(u32|s32).(u32|s32)", "rvvv", always<dot2>, dotFlags},
};

} // namespace

std::span<const Row> integerRows() { return rows; }

} // namespace ptxmachine
