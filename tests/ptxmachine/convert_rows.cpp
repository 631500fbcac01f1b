// Rows of conversions.
#include "map.h"
#include "row.h"
#include "small_floats.h"

#include <algorithm>

namespace ptxmachine {

namespace {

uint32_t flagsOf(const Spelling &s) {
  const uint32_t rounding = s.has("rz") || s.has("rzi")   ? 1
                            : s.has("rm") || s.has("rmi") ? 2
                            : s.has("rp") || s.has("rpi") ? 3
                                                          : 0;
  const bool isInteger = s.has("rni") || s.has("rzi") || s.has("rmi") || s.has("rpi");
  return rounding | (isInteger ? ToInteger : 0u) | (s.has("ftz") ? Ftz : 0u) | (s.has("sat") ? Sat : 0u) |
         (s.has("relu") ? Relu : 0u);
}

template <class T, class F> void eachLane(Step &s, const Instruction &i, F f) {
  const Lanes &a = s.source(i, 0);
  mapLanes<T>(s, i, [&](unsigned lane) { return f(a, lane); });
}

/// Extends by the source's sign; `.sat` clamps to the result's range.
template <class To, class From> void integerToInteger(Step &s, const Instruction &i) {
  const uint32_t tag = s.tag(i.sources[0]);
  map1<From, To>(s, i, [&](From value) {
    if (!(i.flags & Sat))
      return static_cast<To>(value);
    const __int128 wide = value, low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    return static_cast<To>(wide < low ? low : wide > high ? high : wide);
  });
  s.setTag(i, tag);
}

template <class To, class From> void integerToFloat(Step &s, const Instruction &i) {
  const RoundingScope scope(static_cast<Rounding>(i.flags & RoundMask));
  map1<From, To>(s, i, [&](From value) {
    const volatile From kept = value; // converted here, under this rounding
    const To result = static_cast<To>(kept);
    return i.flags & Sat ? saturated01(result) : result;
  });
}

template <class T> T rounded(T value, uint32_t flags) {
  switch (static_cast<Rounding>(flags & RoundMask)) {
  case Rounding::Nearest:
    return std::nearbyint(value);
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  default:
    return std::ceil(value);
  }
}

/// Out of range is clamped. NaN is 0, but for results of 64 bits from f64, and from f32 alike, the highest bit alone.
template <class To> To clamped(double value, bool isWide) {
  if (std::isnan(value))
    return isWide && sizeof(To) == 8 ? static_cast<To>(uint64_t{1} << 63) : To{0};
  if (value < static_cast<double>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (value >= std::ldexp(1.0, std::numeric_limits<To>::digits))
    return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

template <class To, class From> void floatToInteger(Step &s, const Instruction &i) {
  map1<From, To>(
      s, i, [&](From value) { return clamped<To>(rounded(i.flags & Ftz ? flushed(value) : value, i.flags), true); });
}

template <class To, class From> void floatToFloat(Step &s, const Instruction &i) {
  const RoundingScope scope(i.flags & ToInteger ? Rounding::Nearest : static_cast<Rounding>(i.flags & RoundMask));
  map1<From, To>(s, i, [&](From value) {
    if (i.flags & Ftz && sizeof(From) == 4)
      value = flushed(value);
    const volatile From kept = i.flags & ToInteger ? rounded(value, i.flags) : value;
    To result = static_cast<To>(kept);
    if (i.flags & Ftz && sizeof(To) == 4)
      result = flushed(result);
    if (i.flags & Sat)
      result = saturated01(result);
    return sizeof(From) == sizeof(To) && std::isnan(result) && sizeof(To) == 8 ? result : canonical(result);
  });
}

SmallFormat formatOf(const Type &type) { return type.kind == TypeKind::BFloat ? brain : half; }

uint16_t toSmall(double value, uint32_t flags, SmallFormat format) {
  if (flags & Sat)
    value = saturated01(value);
  if (flags & Relu && !(value > 0) && !std::isnan(value))
    value = 0;
  return narrowed(value, format, static_cast<Rounding>(flags & RoundMask));
}

template <class From> void floatToSmall(Step &s, const Instruction &i) {
  eachLane<uint16_t>(s, i, [&](const Lanes &a, unsigned lane) {
    const From value = a.get<From>(lane);
    return toSmall(i.flags & Ftz ? flushed(value) : value, i.flags, formatOf(i.type));
  });
}
/// Integers of up to 64 bits round once: what a double cannot hold keeps a sticky bit.
template <class From> void integerToSmall(Step &s, const Instruction &i) {
  eachLane<uint16_t>(s, i, [&](const Lanes &a, unsigned lane) {
    const From value = a.get<From>(lane);
    const auto high = static_cast<double>(value >> 11 << 11), low = static_cast<double>(value - (value >> 11 << 11));
    return toSmall(sizeof(From) == 8 ? stickySum(high, low) : static_cast<double>(value), i.flags, formatOf(i.type));
  });
}

/// The flags' upper half: whether the source is a bf16.
constexpr uint32_t fromBrain = 1u << 16;
uint32_t smallFlags(const Spelling &s) { return flagsOf(s) | (s.last().kind == TypeKind::BFloat ? fromBrain : 0u); }
double smallSource(const Lanes &a, unsigned lane, uint32_t flags) {
  return widened(a.get<uint16_t>(lane), flags & fromBrain ? brain : half);
}

template <class To> void smallToFloat(Step &s, const Instruction &i) {
  eachLane<To>(s, i, [&](const Lanes &a, unsigned lane) {
    const To value = static_cast<To>(smallSource(a, lane, i.flags));
    return canonical(i.flags & Sat ? saturated01(value) : value);
  });
}
template <class To> void smallToInteger(Step &s, const Instruction &i) {
  eachLane<To>(s, i, [&](const Lanes &a, unsigned lane) {
    return clamped<To>(rounded(smallSource(a, lane, i.flags), i.flags), sizeof(To) == 8);
  });
}
void smallToSmall(Step &s, const Instruction &i) {
  eachLane<uint16_t>(s, i, [&](const Lanes &a, unsigned lane) {
    const double value = smallSource(a, lane, i.flags);
    return toSmall(i.flags & ToInteger ? rounded(value, i.flags) : value,
                   i.flags & ToInteger ? i.flags & ~uint32_t{RoundMask} : i.flags, formatOf(i.type));
  });
}
/// The first source becomes the upper half.
void floatsToPair(Step &s, const Instruction &i) {
  map2<float, uint32_t>(s, i, [&](float a, float b) {
    const SmallFormat format = formatOf(i.type);
    return uint32_t{toSmall(a, i.flags, format)} << 16 | toSmall(b, i.flags, format);
  });
}

template <template <class> class F> Execute byFrom(const Type &type) {
  if (type.isFloat())
    return type.bits == 32 ? F<float>::run : F<double>::run;
  return byInteger<F>(type);
}

template <class To> struct FromTo {
  template <class From> struct Of {
    static void run(Step &s, const Instruction &i) {
      if constexpr (std::is_integral_v<To> && std::is_integral_v<From>)
        integerToInteger<To, From>(s, i);
      else if constexpr (std::is_integral_v<To>)
        floatToInteger<To, From>(s, i);
      else if constexpr (std::is_integral_v<From>)
        integerToFloat<To, From>(s, i);
      else
        floatToFloat<To, From>(s, i);
    }
  };
};

template <class To> Execute fromAny(const Type &from) {
  if (from.isFloat() && from.bits == 16) {
    if constexpr (std::is_integral_v<To>)
      return smallToInteger<To>;
    else
      return smallToFloat<To>;
  }
  return byFrom<FromTo<To>::template Of>(from);
}

template <class From> struct ToSmall {
  static void run(Step &s, const Instruction &i) {
    if constexpr (std::is_integral_v<From>)
      integerToSmall<From>(s, i);
    else
      floatToSmall<From>(s, i);
  }
};

/// Whether every number of `from` is one of `to`: then nothing can saturate.
bool holdsAll(const Type &to, const Type &from) {
  if (from.isSigned())
    return to.isSigned() && to.bits >= from.bits;
  return to.isSigned() ? to.bits > from.bits : to.bits >= from.bits;
}

bool isSingle(const Type &type) { return type.isFloat() && type.bits == 32; }

/// Narrower floats need a rounding, which may be one to a whole number only where the type stays.
bool isPossibleOfFloats(const Spelling &s, const Type &to, const Type &from) {
  const bool rounds = s.has("rn") || s.has("rz") || s.has("rm") || s.has("rp");
  const bool toWhole = s.has("rni") || s.has("rzi") || s.has("rmi") || s.has("rpi");
  if (s.has("ftz") && !isSingle(to) && !isSingle(from))
    return false;
  const bool clips = to.bits == 16 && isSingle(from) && (s.has("rn") || s.has("rz")) && !s.has("ftz") && !s.has("sat");
  if (s.has("relu") && !clips)
    return false;
  if (to == from || to.bits > from.bits)
    return !rounds && (!toWhole || to == from);
  return rounds && !toWhole;
}

/// Modifiers that ptxas takes for these types.
bool isPossible(const Spelling &s, const Type &to, const Type &from) {
  if (s.has("sat") && (to.kind == TypeKind::BFloat || from.kind == TypeKind::BFloat))
    return false;
  if (!to.isFloat() && !from.isFloat())
    return !s.has("sat") || !holdsAll(to, from);
  if (to.isFloat() && from.isFloat())
    return isPossibleOfFloats(s, to, from);
  const Type &number = to.isFloat() ? to : from, &integer = to.isFloat() ? from : to;
  return (!s.has("ftz") || isSingle(number)) && (number.kind != TypeKind::BFloat || integer.bits > 8);
}

Execute choose(const Spelling &s) {
  const Type to = s.type(), from = s.last();
  if (!isPossible(s, to, from))
    return nullptr;
  if (to.isFloat() && to.bits == 16)
    return from.isFloat() && from.bits == 16 ? smallToSmall : byFrom<ToSmall>(from);
  if (to.isFloat())
    return to.bits == 32 ? fromAny<float>(from) : fromAny<double>(from);
  switch (to.bits) {
  case 8:
    return to.isSigned() ? fromAny<int8_t>(from) : fromAny<uint8_t>(from);
  case 16:
    return to.isSigned() ? fromAny<int16_t>(from) : fromAny<uint16_t>(from);
  case 32:
    return to.isSigned() ? fromAny<int32_t>(from) : fromAny<uint32_t>(from);
  default:
    return to.isSigned() ? fromAny<int64_t>(from) : fromAny<uint64_t>(from);
  }
}
template <Execute function> Execute always(const Spelling &) { return function; }

#define INTEGERS "(u8|u16|u32|u64|s8|s16|s32|s64)"
#define FLOATS "(f16|bf16|f32|f64)"
constexpr Row rows[] = {
    {"cvt.[sat]." INTEGERS "." INTEGERS, "rv", choose, flagsOf},
    {"cvt.(rn|rz|rm|rp).[ftz].[sat]." FLOATS "." INTEGERS, "rv", choose, flagsOf},
    {"cvt.(rni|rzi|rmi|rpi).[ftz].[sat]." INTEGERS "." FLOATS, "rv", choose, smallFlags},
    {"cvt.[rn|rz|rm|rp|rni|rzi|rmi|rpi].[ftz].[relu].[sat]." FLOATS "." FLOATS, "rv", choose, smallFlags},
    {"cvt.(rn|rz).[relu].(f16x2|bf16x2).f32", "rvv", always<floatsToPair>, flagsOf},
};

} // namespace

std::span<const Row> convertRows() { return rows; }

} // namespace ptxmachine
