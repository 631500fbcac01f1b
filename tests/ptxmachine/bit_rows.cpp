// Rows of bits: logic, shifts, fields, counts, permutations of bytes.
#include "map.h"
#include "row.h"

#include <bit>

namespace ptxmachine {

namespace {

#define LOGIC(Name, expression)                                                                                        \
  void Name(Step &s, const Instruction &i) {                                                                           \
    map2<uint64_t, uint64_t>(s, i, [](uint64_t a, uint64_t b) -> uint64_t { return expression; });                     \
  }
LOGIC(bitAnd, a &b)
LOGIC(bitOr, a | b)
LOGIC(bitXor, a ^ b)

/// Alignment and low bits of an address.
void bitAndTagged(Step &s, const Instruction &i) {
  const uint32_t tag = sumTag(s, i);
  bitAnd(s, i);
  s.setTag(i, tag);
}
void bitOrTagged(Step &s, const Instruction &i) {
  const uint32_t tag = sumTag(s, i);
  bitOr(s, i);
  s.setTag(i, tag);
}

/// Predicates may be negated.
template <class Op> void predicates(Step &s, const Instruction &i) {
  const Lanes &a = s.source(i, 0), &b = s.source(i, i.sourceCount - 1u);
  const uint64_t first = i.negated & 1, second = i.negated >> (i.sourceCount - 1u) & 1;
  // One operand may decide alone, as false does in `and`: the other need not be defined.
  const LaneMask da = s.defined(i.sources[0]), db = s.defined(i.sources[i.sourceCount - 1u]);
  LaneMask decided = da & db;
  forLanes(s.mask & (da ^ db), [&](unsigned lane) {
    const uint64_t known = da >> lane & 1 ? (a.at[lane] ^ first) & 1 : (b.at[lane] ^ second) & 1;
    decided |= static_cast<LaneMask>(Op::apply(known, 0) == Op::apply(known, 1)) << lane;
  });
  mapLanes<uint64_t>(s, i,
                     [&](unsigned lane) { return Op::apply((a.at[lane] ^ first) & 1, (b.at[lane] ^ second) & 1); });
  s.define(i, 0, decided);
}
struct And {
  static uint64_t apply(uint64_t a, uint64_t b) { return a & b; }
};
struct Or {
  static uint64_t apply(uint64_t a, uint64_t b) { return a | b; }
};
struct Xor {
  static uint64_t apply(uint64_t a, uint64_t b) { return a ^ b; }
};
struct Not {
  static uint64_t apply(uint64_t, uint64_t b) { return b ^ 1; }
};

template <class T> struct Complement {
  static void run(Step &s, const Instruction &i) {
    map1<T, T>(s, i, [](T a) { return static_cast<T>(~a); });
  }
};
template <class T> struct IsZero {
  static void run(Step &s, const Instruction &i) {
    map1<T, T>(s, i, [](T a) { return static_cast<T>(a == 0); });
  }
};

/// Amounts are 32 bits, and clamp to the width.
template <class T> struct ShiftLeft {
  static void run(Step &s, const Instruction &i) {
    const Lanes &a = s.source(i, 0), &b = s.source(i, 1);
    mapLanes<T>(s, i, [&](unsigned lane) {
      const uint32_t by = b.get<uint32_t>(lane);
      return by >= sizeof(T) * 8 ? T{0} : static_cast<T>(a.get<T>(lane) << by);
    });
  }
};
template <class T> struct ShiftRight {
  static void run(Step &s, const Instruction &i) {
    const Lanes &a = s.source(i, 0), &b = s.source(i, 1);
    mapLanes<T>(s, i, [&](unsigned lane) {
      const uint32_t by = b.get<uint32_t>(lane), most = sizeof(T) * 8 - 1;
      const T value = a.get<T>(lane);
      return by <= most ? static_cast<T>(value >> by) : static_cast<T>(value < 0 ? -1 : 0);
    });
  }
};

enum FunnelFlag : uint32_t { Left = 1, Clamp = 2 };
uint32_t funnelFlags(const Spelling &s) { return (s.has("l") ? Left : 0u) | (s.has("clamp") ? Clamp : 0u); }
void funnel(Step &s, const Instruction &i) {
  map3<uint32_t, uint32_t>(s, i, [&](uint32_t low, uint32_t high, uint32_t by) {
    const uint32_t amount = i.flags & Clamp ? (by > 32 ? 32 : by) : by & 31;
    const uint64_t both = uint64_t{high} << 32 | low;
    return static_cast<uint32_t>(i.flags & Left ? both << amount >> 32 : both >> amount);
  });
}

template <class T> struct Extract {
  static void run(Step &s, const Instruction &i) {
    const Lanes &a = s.source(i, 0), &b = s.source(i, 1), &c = s.source(i, 2);
    mapLanes<T>(s, i, [&](unsigned lane) {
      constexpr unsigned most = sizeof(T) * 8 - 1;
      const uint32_t position = b.get<uint32_t>(lane) & 255, length = c.get<uint32_t>(lane) & 255;
      const T value = a.get<T>(lane);
      const bool fills =
          std::is_signed_v<T> && length &&
          (position + length - 1 > most ? value < 0 : static_cast<bool>(value >> (position + length - 1) & 1));
      uint64_t result = 0;
      for (unsigned at = 0; at <= most; ++at) {
        const bool isField = at < length && position + at <= most;
        const bool bit = isField ? static_cast<bool>(static_cast<uint64_t>(value) >> (position + at) & 1) : fills;
        result |= uint64_t{bit} << at;
      }
      return static_cast<T>(result);
    });
  }
};

template <class T> struct Insert {
  static void run(Step &s, const Instruction &i) {
    const Lanes &a = s.source(i, 0), &b = s.source(i, 1), &c = s.source(i, 2), &d = s.source(i, 3);
    mapLanes<T>(s, i, [&](unsigned lane) {
      const uint32_t position = c.get<uint32_t>(lane) & 255, length = d.get<uint32_t>(lane) & 255;
      T result = b.get<T>(lane);
      for (unsigned at = 0; at < length && position + at < sizeof(T) * 8; ++at) {
        const T bit = static_cast<T>(T{1} << (position + at));
        result = static_cast<T>((result & ~bit) | (a.get<T>(lane) >> at & 1 ? bit : 0));
      }
      return result;
    });
  }
};

/// The highest bit that is not a copy of the sign; all ones if there is none.
template <class T> struct FindBit {
  static void run(Step &s, const Instruction &i) {
    map1<T, uint32_t>(s, i, [&](T value) {
      using U = std::make_unsigned_t<T>;
      const U bits = value < 0 ? static_cast<U>(~value) : static_cast<U>(value);
      if (!bits)
        return ~uint32_t{0};
      const auto leading = static_cast<uint32_t>(std::countl_zero(bits));
      return i.flags ? leading : static_cast<uint32_t>(sizeof(T) * 8) - 1 - leading;
    });
  }
};
uint32_t isShiftAmount(const Spelling &s) { return s.has("shiftamt"); }

template <class T> struct Reverse {
  static void run(Step &s, const Instruction &i) {
    map1<T, T>(s, i, [](T value) {
      T result = 0;
      for (unsigned at = 0; at < sizeof(T) * 8; ++at)
        result = static_cast<T>(result << 1 | (value >> at & 1));
      return result;
    });
  }
};
template <class T> struct LeadingZeros {
  static void run(Step &s, const Instruction &i) {
    map1<T, uint32_t>(
        s, i, [](T a) { return static_cast<uint32_t>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a))); });
  }
};
template <class T> struct Ones {
  static void run(Step &s, const Instruction &i) {
    map1<T, uint32_t>(
        s, i, [](T a) { return static_cast<uint32_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(a))); });
  }
};

/// Bit k of the table says what the three bits of k become.
void logic3(Step &s, const Instruction &i) {
  const Lanes &a = s.source(i, 0), &b = s.source(i, 1), &c = s.source(i, 2), &table = s.source(i, 3);
  mapLanes<uint32_t>(s, i, [&](unsigned lane) {
    uint32_t result = 0;
    for (unsigned k = 0; k < 8; ++k)
      if (table.at[lane] >> k & 1)
        result |= (k & 4 ? a.get<uint32_t>(lane) : ~a.get<uint32_t>(lane)) &
                  (k & 2 ? b.get<uint32_t>(lane) : ~b.get<uint32_t>(lane)) &
                  (k & 1 ? c.get<uint32_t>(lane) : ~c.get<uint32_t>(lane));
    return result;
  });
}

enum Mode : uint32_t { Default, Forward4, Backward4, Replicate8, EdgeLeft, EdgeRight, Replicate16 };
uint32_t permuteMode(const Spelling &s) {
  constexpr std::string_view names[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  for (uint32_t mode = 1; mode < 7; ++mode)
    if (s.has(names[mode]))
      return mode;
  return Default;
}
/// PTX ISA, prmt: which of the eight bytes, and in the default mode a bit that replicates its sign.
unsigned permuteSelector(uint32_t mode, uint32_t control, unsigned byte) {
  const unsigned c = control & 3;
  switch (mode) {
  case Forward4:
    return (c + byte) & 7;
  case Backward4:
    return (c - byte) & 7;
  case Replicate8:
    return c;
  case EdgeLeft:
    return byte < c ? c : byte;
  case EdgeRight:
    return byte < c ? byte : c;
  case Replicate16:
    return (c & 1) * 2 + (byte & 1);
  default:
    return control >> 4 * byte & 15;
  }
}
void permute(Step &s, const Instruction &i) {
  map3<uint32_t, uint32_t>(s, i, [&](uint32_t a, uint32_t b, uint32_t control) {
    const uint64_t both = uint64_t{b} << 32 | a;
    uint32_t result = 0;
    for (unsigned byte = 0; byte < 4; ++byte) {
      const unsigned selector = permuteSelector(i.flags, control, byte);
      uint32_t value = static_cast<uint32_t>(both >> (selector & 7) * 8) & 255;
      if (i.flags == Default && selector & 8)
        value = value & 128 ? 255 : 0;
      result |= value << byte * 8;
    }
    return result;
  });
}

/// bmsk: `.clamp` or `.wrap` of position and width.
void makeMask(Step &s, const Instruction &i) {
  map2<uint32_t, uint32_t>(s, i, [&](uint32_t position, uint32_t width) {
    if (i.flags)
      position &= 31, width &= 31;
    if (position > 31)
      return uint32_t{0};
    const uint32_t ones = width > 31 ? ~uint32_t{0} : (uint32_t{1} << width) - 1;
    return ones << position;
  });
}
uint32_t isWrap(const Spelling &s) { return s.has("wrap"); }

template <Execute function> Execute always(const Spelling &) { return function; }

constexpr Row rows[] = {
    {"and.(b16|b32)", "rvv", always<bitAnd>},
    {"and.b64", "rvv", always<bitAndTagged>},
    {"or.b16", "rvv", always<bitOr>},
    {"or.(b32|b64)", "rvv", always<bitOrTagged>},
    {"xor.(b16|b32|b64)", "rvv", always<bitXor>},
    {"and.pred", "rpp", always<predicates<And>>},
    {"or.pred", "rpp", always<predicates<Or>>},
    {"xor.pred", "rpp", always<predicates<Xor>>},
    {"not.pred", "rp", always<predicates<Not>>},
    {"not.(b16|b32|b64)", "rv", chooseInteger<Complement>},
    {"cnot.(b16|b32|b64)", "rv", chooseInteger<IsZero>},
    {"shl.(b16|b32|b64)", "rvv", chooseInteger<ShiftLeft>},
    {"shr.(b16|b32|b64|u16|u32|u64|s16|s32|s64)", "rvv", chooseInteger<ShiftRight>},
    {"shf.(l|r).(clamp|wrap).b32", "rvvv", always<funnel>, funnelFlags},
    {"bfe.(u32|s32|u64|s64)", "rvvv", chooseInteger<Extract>},
    {"bfi.(b32|b64)", "rvvvv", chooseInteger<Insert>},
    {"bfind.[shiftamt].(u32|s32|u64|s64)", "rv", chooseInteger<FindBit>, isShiftAmount},
    {"brev.(b32|b64)", "rv", chooseInteger<Reverse>},
    {"clz.(b32|b64)", "rv", chooseInteger<LeadingZeros>},
    {"popc.(b32|b64)", "rv", chooseInteger<Ones>},
    {"lop3.b32", "rvvvv", always<logic3>},
    {"prmt.b32.[f4e|b4e|rc8|ecl|ecr|rc16]", "rvvv", always<permute>, permuteMode},
    {"bmsk.(clamp|wrap).b32", "rvv", always<makeMask>, isWrap},
};

} // namespace

std::span<const Row> bitRows() { return rows; }

} // namespace ptxmachine
