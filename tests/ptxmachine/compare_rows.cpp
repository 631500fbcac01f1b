// Rows of comparisons and selections.
#include "map.h"
#include "row.h"
#include "small_floats.h"

namespace ptxmachine {

namespace {

enum Compare : uint32_t { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };
/// Above the comparison in an instruction's flags.
enum Flag : uint32_t {
  CompareMask = 15,
  Flush = 16,
  With = 32,
  WithOr = 64,
  WithXor = 128,
  FromBrain = 256,
  FromPair = 512
};

uint32_t flagsOf(const Spelling &s) {
  constexpr std::string_view names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                        "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  constexpr std::string_view sames[] = {"lo", "ls", "hi", "hs"}; // of unsigned integers
  uint32_t flags = 0;
  for (uint32_t at = 0; at < 14; ++at)
    if (s.words[1] == names[at])
      flags = at;
  for (uint32_t at = 0; at < 4; ++at)
    if (s.words[1] == sames[at])
      flags = Lt + at;
  if (s.has("and") || s.has("or") || s.has("xor"))
    flags |= With | (s.has("or") ? WithOr : 0u) | (s.has("xor") ? WithXor : 0u);
  return flags | (s.has("ftz") ? Flush : 0u) | (s.last().kind == TypeKind::BFloat ? FromBrain : 0u) |
         (s.last().isPair ? FromPair : 0u);
}

template <class T> bool holds(uint32_t compare, T a, T b) {
  const bool isUnordered = a != a || b != b;
  switch (compare) {
  case Eq:
    return a == b;
  case Ne:
    return !isUnordered && a != b;
  case Lt:
    return a < b;
  case Le:
    return a <= b;
  case Gt:
    return a > b;
  case Ge:
    return a >= b;
  case Equ:
    return isUnordered || a == b;
  case Neu:
    return isUnordered || a != b;
  case Ltu:
    return isUnordered || a < b;
  case Leu:
    return isUnordered || a <= b;
  case Gtu:
    return isUnordered || a > b;
  case Geu:
    return isUnordered || a >= b;
  case Num:
    return !isUnordered;
  default:
    return isUnordered;
  }
}

bool combined(uint32_t flags, bool value, bool with) {
  return flags & WithXor ? value != with : flags & WithOr ? value || with : value && with;
}

/// `compare(lane)` for each lane, joined with a predicate if there is one; `give(result, at, lane)` stores it.
template <class F, class G> void compareLanes(Step &s, const Instruction &i, F compare, G give) {
  const Lanes with = i.sourceCount > 2 ? s.source(i, 2) : Lanes{};
  const uint64_t negated = i.negated >> 2 & 1;
  forLanes(s.mask, [&](unsigned lane) {
    const bool value = compare(lane), other = (with.at[lane] ^ negated) & 1;
    give(lane, i.flags & With ? combined(i.flags, value, other) : value,
         i.flags & With ? combined(i.flags, !value, other) : !value);
  });
  for (size_t at = 0; at < i.resultCount; ++at)
    s.define(i, at, s.definedSources(i));
}

template <class F> void setPredicates(Step &s, const Instruction &i, F compare) {
  compareLanes(s, i, compare, [&](unsigned lane, bool value, bool opposite) {
    s.result(i, 0).at[lane] = value;
    if (i.resultCount > 1)
      s.result(i, 1).at[lane] = opposite;
  });
}

template <class T> T operand(const Lanes &from, unsigned lane, uint32_t flags) {
  const T value = from.get<T>(lane);
  if constexpr (std::is_floating_point_v<T>)
    return flags & Flush ? flushed(value) : value;
  else
    return value;
}

template <class T> struct SetPredicate {
  static void run(Step &s, const Instruction &i) {
    const Lanes &a = s.source(i, 0), &b = s.source(i, 1);
    // The usual form, as a loop without branches.
    if (!(i.flags & ~uint32_t{CompareMask}) && i.resultCount == 1)
      return mapLanes<uint64_t>(
          s, i, [&](unsigned lane) -> uint64_t { return holds(i.flags, a.get<T>(lane), b.get<T>(lane)); });
    setPredicates(s, i, [&](unsigned lane) {
      return holds(i.flags & CompareMask, operand<T>(a, lane, i.flags), operand<T>(b, lane, i.flags));
    });
  }
};
/// What `set` gives for true: 1 as a float, all ones as an integer; of pairs, for one half.
uint64_t trueOf(const Instruction &i) {
  if (i.type.kind == TypeKind::BFloat)
    return 0x3F80;
  if (i.type.isFloat())
    return i.type.bits == 16 || i.type.isPair ? 0x3C00 : 0x3F800000;
  return i.type.bits == 16 || i.flags & FromPair ? 0xFFFF : 0xFFFFFFFF;
}

template <class T> struct SetValue {
  static void run(Step &s, const Instruction &i) {
    const Lanes a = s.source(i, 0), b = s.source(i, 1);
    compareLanes(
        s, i,
        [&](unsigned lane) {
          return holds(i.flags & CompareMask, operand<T>(a, lane, i.flags), operand<T>(b, lane, i.flags));
        },
        [&](unsigned lane, bool value, bool) { s.result(i).at[lane] = value ? trueOf(i) : 0; });
  }
};

bool holdsSmall(const Instruction &i, uint64_t a, uint64_t b) {
  const SmallFormat format = i.flags & FromBrain ? brain : half;
  const auto number = [&](uint64_t bits) {
    const double value = widened(static_cast<uint16_t>(bits), format);
    return i.flags & Flush && std::fabs(value) < std::ldexp(1.0, 1 - format.bias()) ? std::copysign(0.0, value) : value;
  };
  return holds(i.flags & CompareMask, number(a), number(b));
}

/// f16 and bf16, alone (`p|q`: the second is the opposite) or in pairs (`p|q`: one of each half).
void setSmall(Step &s, const Instruction &i) {
  const Lanes a = s.source(i, 0), b = s.source(i, 1);
  if (!(i.flags & FromPair))
    return setPredicates(s, i, [&](unsigned lane) { return holdsSmall(i, a.at[lane], b.at[lane]); });
  const Lanes with = i.sourceCount > 2 ? s.source(i, 2) : Lanes{};
  forLanes(s.mask, [&](unsigned lane) {
    const bool other = (with.at[lane] ^ (i.negated >> 2)) & 1;
    for (unsigned at = 0; at < i.resultCount; ++at) {
      const bool value = holdsSmall(i, a.at[lane] >> 16 * at, b.at[lane] >> 16 * at);
      s.result(i, at).at[lane] = i.flags & With ? combined(i.flags, value, other) : value;
    }
  });
  for (size_t at = 0; at < i.resultCount; ++at)
    s.define(i, at, s.definedSources(i));
}

/// The same as numbers; a pair gives both halves of its result.
void setSmallValue(Step &s, const Instruction &i) {
  const Lanes a = s.source(i, 0), b = s.source(i, 1);
  const Lanes with = i.sourceCount > 2 ? s.source(i, 2) : Lanes{};
  mapLanes<uint64_t>(s, i, [&](unsigned lane) {
    const bool other = (with.at[lane] ^ (i.negated >> 2)) & 1;
    uint64_t result = 0;
    for (unsigned shift = 0; shift <= (i.flags & FromPair ? 16u : 0u); shift += 16) {
      const bool value = holdsSmall(i, a.at[lane] >> shift, b.at[lane] >> shift);
      if (i.flags & With ? combined(i.flags, value, other) : value)
        result |= trueOf(i) << shift;
    }
    return result;
  });
}

template <template <class> class F> Execute byType(const Spelling &s) {
  const Type type = s.last().kind == TypeKind::Predicate ? s.types[s.types.size() - 2] : s.last();
  if (type.isFloat())
    return type.bits == 32 ? F<float>::run : F<double>::run;
  return byInteger<F>(type);
}

/// Undefined in the lanes whose chosen operand is.
void select(Step &s, const Instruction &i) {
  const Lanes &a = s.source(i, 0), &b = s.source(i, 1), &p = s.source(i, 2);
  const uint64_t negated = i.negated >> 2 & 1;
  const LaneMask da = s.defined(i.sources[0]), db = s.defined(i.sources[1]), dp = s.defined(i.sources[2]);
  const uint32_t ta = s.tag(i.sources[0]), tb = s.tag(i.sources[1]);
  LaneMask chosen = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    chosen |= static_cast<LaneMask>((p.at[lane] ^ negated) & 1) << lane;
  mapLanes<uint64_t>(s, i, [&](unsigned lane) { return chosen >> lane & 1 ? a.at[lane] : b.at[lane]; });
  s.define(i, 0, ((chosen & da) | (~chosen & db)) & dp);
  s.setTag(i, ta == tb ? ta : 0);
}

/// By the sign of the third operand: the first if it is not negative; -0 is not, NaN is.
template <class T> void selectBySign(Step &s, const Instruction &i) {
  const Lanes a = s.source(i, 0), b = s.source(i, 1);
  const Lanes &c = s.source(i, 2);
  mapLanes<uint64_t>(s, i, [&](unsigned lane) { return operand<T>(c, lane, i.flags) >= 0 ? a.at[lane] : b.at[lane]; });
}
Execute chooseBySign(const Spelling &s) { return s.last().isFloat() ? selectBySign<float> : selectBySign<int32_t>; }
uint32_t slctFlags(const Spelling &s) { return s.has("ftz") ? uint32_t{Flush} : 0u; }

template <Execute function> Execute always(const Spelling &) { return function; }

#define BITS "(eq|ne)"
#define SIGNED "(eq|ne|lt|le|gt|ge)"
#define UNSIGNED "(eq|ne|lt|le|gt|ge|lo|ls|hi|hs)"
#define JOIN ".[and|or|xor]."
#define FLOAT "(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan)"
#define RESULTS "(u32|s32|f32|f16|bf16)."
constexpr Row rows[] = {
    {"setp." BITS JOIN "(b16|b32|b64)", "Pvv?p", byType<SetPredicate>, flagsOf},
    {"setp." SIGNED JOIN "(s16|s32|s64)", "Pvv?p", byType<SetPredicate>, flagsOf},
    {"setp." UNSIGNED JOIN "(u16|u32|u64)", "Pvv?p", byType<SetPredicate>, flagsOf},
    {"setp." FLOAT ".[and|or|xor].[ftz].f32", "Pvv?p", byType<SetPredicate>, flagsOf},
    {"setp." FLOAT ".[and|or|xor].f64", "Pvv?p", byType<SetPredicate>, flagsOf},
    {"setp." FLOAT ".[and|or|xor].[ftz].(f16|f16x2)", "Pvv?p", always<setSmall>, flagsOf},
    {"setp." FLOAT ".[and|or|xor].(bf16|bf16x2)", "Pvv?p", always<setSmall>, flagsOf},
    {"set." BITS JOIN RESULTS "(b16|b32|b64)", "rvv?p", byType<SetValue>, flagsOf},
    {"set." SIGNED JOIN RESULTS "(s16|s32|s64)", "rvv?p", byType<SetValue>, flagsOf},
    {"set." UNSIGNED JOIN RESULTS "(u16|u32|u64)", "rvv?p", byType<SetValue>, flagsOf},
    {"set." FLOAT JOIN "[ftz].(u32|s32|f32|f16).f32", "rvv?p", byType<SetValue>, flagsOf},
    {"set." FLOAT JOIN "bf16.f32", "rvv?p", byType<SetValue>, flagsOf},
    {"set." FLOAT ".[and|or|xor].(u32|s32|f32|f16|bf16).f64", "rvv?p", byType<SetValue>, flagsOf},
    {"set." FLOAT ".[and|or|xor].[ftz].(f16|u16|s16|u32|s32).f16", "rvv?p", always<setSmallValue>, flagsOf},
    {"set." FLOAT ".[and|or|xor].[ftz].(f16x2|u32|s32).f16x2", "rvv?p", always<setSmallValue>, flagsOf},
    {"set." FLOAT ".[and|or|xor].(bf16|u16|s16|u32|s32).bf16", "rvv?p", always<setSmallValue>, flagsOf},
    {"set." FLOAT ".[and|or|xor].(bf16x2|u32|s32).bf16x2", "rvv?p", always<setSmallValue>, flagsOf},
    {"selp.(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64)", "rvvp", always<select>},
    {"slct.(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64).s32", "rvvv", chooseBySign},
    {"slct.[ftz].(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64).f32", "rvvv", chooseBySign, slctFlags},
};

} // namespace

std::span<const Row> compareRows() { return rows; }

} // namespace ptxmachine
