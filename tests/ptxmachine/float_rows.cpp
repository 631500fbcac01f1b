// Rows of floats of 32 and 64 bits whose results the ISA fixes to the last bit.
#include "float_math.h"
#include "map.h"
#include "row.h"

namespace ptxmachine {

namespace {

uint32_t flagsOf(const Spelling &s) {
  const uint32_t rounding = s.has("rz") ? 1 : s.has("rm") ? 2 : s.has("rp") ? 3 : 0;
  return rounding | (s.has("ftz") ? Ftz : 0u) | (s.has("sat") ? Sat : 0u) | (s.has("NaN") ? PropagateNaN : 0u) |
         (s.has("xorsign") ? XorSign : 0u) | (s.has("abs") ? AbsoluteValues : 0u);
}

template <class T> T in(T value, uint32_t flags) { return flags & Ftz ? flushed(value) : value; }
template <class T> T out(T value, uint32_t flags) {
  if (flags & Ftz)
    value = flushed(value);
  return canonical(flags & Sat ? saturated01(value) : value);
}

/// The common case, without modifiers, is a loop that vectorises.
template <class T, class F> void rounded2(Step &s, const Instruction &i, F f) {
  if (!i.flags)
    return map2<T, T>(s, i, [&](T a, T b) { return canonical(f(a, b)); });
  const RoundingScope scope(static_cast<Rounding>(i.flags & RoundMask));
  map2<T, T>(s, i, [&](T a, T b) { return out(f(in(a, i.flags), in(b, i.flags)), i.flags); });
}

#define ROUNDED(Name, expression)                                                                                      \
  template <class T> struct Name {                                                                                     \
    static void run(Step &s, const Instruction &i) {                                                                   \
      rounded2<T>(s, i, [](T a, T b) { return expression; });                                                          \
    }                                                                                                                  \
  }
ROUNDED(Add, a + b);
ROUNDED(Sub, a - b);
ROUNDED(Mul, a *b);
ROUNDED(Div, a / b);

template <class T> struct Fma {
  static void run(Step &s, const Instruction &i) {
    if (!i.flags)
      return map3<T, T>(s, i, [](T a, T b, T c) { return canonical(std::fma(a, b, c)); });
    const RoundingScope scope(static_cast<Rounding>(i.flags & RoundMask));
    map3<T, T>(s, i,
               [&](T a, T b, T c) { return out(std::fma(in(a, i.flags), in(b, i.flags), in(c, i.flags)), i.flags); });
  }
};
template <class T> struct Sqrt {
  static void run(Step &s, const Instruction &i) {
    const RoundingScope scope(static_cast<Rounding>(i.flags & RoundMask));
    map1<T, T>(s, i, [&](T a) { return out(std::sqrt(in(a, i.flags)), i.flags); });
  }
};
template <class T> struct Reciprocal {
  static void run(Step &s, const Instruction &i) {
    const RoundingScope scope(static_cast<Rounding>(i.flags & RoundMask));
    map1<T, T>(s, i, [&](T a) { return out(T{1} / in(a, i.flags), i.flags); });
  }
};

/// neg and abs change the sign of NaNs, too.
template <class T> struct Neg {
  static void run(Step &s, const Instruction &i) {
    map1<T, T>(s, i, [&](T a) { return -in(a, i.flags); });
  }
};
template <class T> struct Abs {
  static void run(Step &s, const Instruction &i) {
    map1<T, T>(s, i, [&](T a) { return std::fabs(in(a, i.flags)); });
  }
};

template <class T, bool isMax> T chosen(T a, T b, uint32_t flags) {
  a = in(a, flags), b = in(b, flags);
  if (flags & PropagateNaN && (std::isnan(a) || std::isnan(b)))
    return canonical(std::numeric_limits<T>::quiet_NaN());
  const bool isNegative = std::signbit(a) != std::signbit(b);
  if (flags & AbsoluteValues)
    a = std::fabs(a), b = std::fabs(b);
  const T result = canonical(isMax ? larger(a, b) : smaller(a, b));
  return flags & XorSign ? std::copysign(result, isNegative ? T{-1} : T{1}) : result;
}
template <class T> struct Min {
  static void run(Step &s, const Instruction &i) {
    if (i.sourceCount == 3)
      return map3<T, T>(s, i,
                        [&](T a, T b, T c) { return chosen<T, false>(chosen<T, false>(a, b, i.flags), c, i.flags); });
    map2<T, T>(s, i, [&](T a, T b) { return chosen<T, false>(a, b, i.flags); });
  }
};
template <class T> struct Max {
  static void run(Step &s, const Instruction &i) {
    if (i.sourceCount == 3)
      return map3<T, T>(s, i,
                        [&](T a, T b, T c) { return chosen<T, true>(chosen<T, true>(a, b, i.flags), c, i.flags); });
    map2<T, T>(s, i, [&](T a, T b) { return chosen<T, true>(a, b, i.flags); });
  }
};
/// The sign of the first, the rest of the second.
template <class T> struct CopySign {
  static void run(Step &s, const Instruction &i) {
    map2<T, T>(s, i, [](T a, T b) { return std::copysign(b, a); });
  }
};

enum Test : uint32_t { Finite, Infinite, Number, NotANumber, Normal, Subnormal };
uint32_t testOf(const Spelling &s) {
  constexpr std::string_view names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  uint32_t at = 0;
  while (!s.has(names[at]))
    ++at;
  return at;
}
template <class T> struct TestProperty {
  static void run(Step &s, const Instruction &i) {
    const Lanes &a = s.source(i, 0);
    mapLanes<uint64_t>(s, i, [&](unsigned lane) -> uint64_t {
      const T value = a.get<T>(lane);
      switch (i.flags) {
      case Finite:
        return std::isfinite(value);
      case Infinite:
        return std::isinf(value);
      case Number:
        return !std::isnan(value);
      case NotANumber:
        return std::isnan(value);
      case Normal: // zeros count as normal
        return std::isnormal(value) || value == 0;
      default:
        return std::fpclassify(value) == FP_SUBNORMAL;
      }
    });
  }
};

template <template <class> class F> Execute floats(const Spelling &s) {
  return s.last().bits == 32 ? F<float>::run : F<double>::run;
}

#define ROUND "[rn|rz|rm|rp]"
constexpr Row rows[] = {
    {"add." ROUND ".[ftz].[sat].f32", "rvv", floats<Add>, flagsOf},
    {"add." ROUND ".f64", "rvv", floats<Add>, flagsOf},
    {"sub." ROUND ".[ftz].[sat].f32", "rvv", floats<Sub>, flagsOf},
    {"sub." ROUND ".f64", "rvv", floats<Sub>, flagsOf},
    {"mul." ROUND ".[ftz].[sat].f32", "rvv", floats<Mul>, flagsOf},
    {"mul." ROUND ".f64", "rvv", floats<Mul>, flagsOf},
    {"fma.(rn|rz|rm|rp).[ftz].[sat].f32", "rvvv", floats<Fma>, flagsOf},
    {"fma.(rn|rz|rm|rp).f64", "rvvv", floats<Fma>, flagsOf},
    {"mad.(rn|rz|rm|rp).[ftz].[sat].f32", "rvvv", floats<Fma>, flagsOf},
    {"mad.(rn|rz|rm|rp).f64", "rvvv", floats<Fma>, flagsOf},
    {"div.(rn|rz|rm|rp).[ftz].f32", "rvv", floats<Div>, flagsOf},
    {"div.(rn|rz|rm|rp).f64", "rvv", floats<Div>, flagsOf},
    {"sqrt.(rn|rz|rm|rp).[ftz].f32", "rv", floats<Sqrt>, flagsOf},
    {"sqrt.(rn|rz|rm|rp).f64", "rv", floats<Sqrt>, flagsOf},
    {"rcp.(rn|rz|rm|rp).[ftz].f32", "rv", floats<Reciprocal>, flagsOf},
    {"rcp.(rn|rz|rm|rp).f64", "rv", floats<Reciprocal>, flagsOf},
    {"neg.[ftz].f32", "rv", floats<Neg>, flagsOf},
    {"neg.f64", "rv", floats<Neg>, flagsOf},
    {"abs.[ftz].f32", "rv", floats<Abs>, [](const Spelling &s) { return s.has("ftz") ? uint32_t{Ftz} : 0u; }},
    {"abs.f64", "rv", floats<Abs>},
    {"min.[ftz].[NaN].f32", "rvv?v", floats<Min>, flagsOf},
    {"min.[ftz].[NaN].xorsign.abs.f32", "rvv", floats<Min>, flagsOf},
    {"min.f64", "rvv", floats<Min>, flagsOf},
    {"max.[ftz].[NaN].f32", "rvv?v", floats<Max>, flagsOf},
    {"max.[ftz].[NaN].xorsign.abs.f32", "rvv", floats<Max>, flagsOf},
    {"max.f64", "rvv", floats<Max>, flagsOf},
    {"copysign.(f32|f64)", "rvv", floats<CopySign>},
    {"testp.(finite|infinite|number|notanumber|normal|subnormal).(f32|f64)", "rv", floats<TestProperty>, testOf},
};

} // namespace

std::span<const Row> floatRows() { return rows; }

} // namespace ptxmachine
