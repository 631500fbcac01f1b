// Rows that move values and addresses: mov, cvta, isspacep, and parts of vectors.
#include "launch.h"
#include "row.h"

namespace ptxmachine {

namespace {

uint64_t widthMask(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

/// Joins several sources to one value, splits one into several results, or copies. The lowest bits come first.
void move(Step &s, const Instruction &i) {
  const unsigned bits = i.type.bits;
  if (i.sourceCount > 1) {
    const unsigned part = bits / i.sourceCount;
    forLanes(s.mask, [&](unsigned lane) {
      uint64_t value = 0;
      for (unsigned at = i.sourceCount; at-- > 0;)
        value = (part < 64 ? value << part : 0) | (s.source(i, at).at[lane] & widthMask(part));
      s.result(i).at[lane] = value;
    });
    return s.define(i, 0, s.definedSources(i));
  }
  const unsigned part = bits / i.resultCount;
  const uint64_t base = i.addressBase == AddressBase::LocalFrame ? s.frame.localBase : 0;
  const uint32_t tag = s.tag(i.sources[0]);
  const Lanes source = s.source(i, 0); // a result may be the source
  const LaneMask defined = s.defined(i.sources[0]);
  for (unsigned at = 0; at < i.resultCount; ++at) {
    forLanes(s.mask, [&](unsigned lane) {
      s.result(i, at).at[lane] = (source.at[lane] + base) >> (part * at % 64) & widthMask(part);
    });
    s.define(i, at, defined);
  }
  if (i.resultCount == 1)
    s.setTag(i, tag);
}

void movePredicate(Step &s, const Instruction &i) {
  const Lanes &a = s.source(i, 0);
  forLanes(s.mask, [&](unsigned lane) { s.result(i).at[lane] = (a.at[lane] & 1) ^ (i.negated & 1); });
  s.define(i, 0, s.definedSources(i));
}

uint64_t windowOf(const Spelling &s) {
  return s.has("shared") || s.has("shared::cta") ? sharedWindow : s.has("local") ? localWindow : 0;
}
uint32_t windowFlag(const Spelling &s) { return static_cast<uint32_t>(windowOf(s) >> 48); }

void toGeneric(Step &s, const Instruction &i) {
  const uint64_t base = (uint64_t{i.flags} << 48) + (i.addressBase == AddressBase::LocalFrame ? s.frame.localBase : 0);
  const uint32_t tag = s.tag(i.sources[0]);
  const Lanes &a = s.source(i, 0);
  forLanes(s.mask,
           [&](unsigned lane) { s.result(i).at[lane] = (i.flags ? a.at[lane] & 0xFFFFFFFF : a.at[lane]) + base; });
  s.define(i, 0, s.definedSources(i));
  s.setTag(i, tag);
}

void fromGeneric(Step &s, const Instruction &i) {
  const uint32_t tag = s.tag(i.sources[0]);
  const Lanes &a = s.source(i, 0);
  forLanes(s.mask, [&](unsigned lane) { s.result(i).at[lane] = i.flags ? a.at[lane] & ~windowMask : a.at[lane]; });
  s.define(i, 0, s.definedSources(i));
  s.setTag(i, tag);
}

/// Between const space and generic addresses.
template <bool isToGeneric> void convertConst(Step &s, const Instruction &i) {
  const uint64_t base = s.warp.launch().program->constBase();
  const Lanes &a = s.source(i, 0);
  forLanes(s.mask, [&](unsigned lane) {
    s.result(i).at[lane] = isToGeneric ? (a.at[lane] & 0xFFFFFFFF) + base : a.at[lane] - base;
  });
  s.define(i, 0, s.definedSources(i));
}

void isInSpace(Step &s, const Instruction &i) {
  const Lanes &a = s.source(i, 0);
  forLanes(s.mask, [&](unsigned lane) { s.result(i).at[lane] = (a.at[lane] & windowMask) == uint64_t{i.flags} << 48; });
  s.define(i, 0, s.definedSources(i));
}

template <Execute function> Execute always(const Spelling &) { return function; }

constexpr Row rows[] = {
    {"mov.(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64)", "RV", always<move>},
    {"mov.pred", "rp", always<movePredicate>},
    {"cvta.const.(u32|u64)", "rv", always<convertConst<true>>},
    {"cvta.to.const.(u32|u64)", "rv", always<convertConst<false>>},
    {"cvta.(global|shared|shared::cta|local|param).(u32|u64)", "rv", always<toGeneric>, windowFlag},
    {"cvta.to.(global|shared|shared::cta|local|param).(u32|u64)", "rv", always<fromGeneric>, windowFlag},
    {"isspacep.(global|const|shared|shared::cta|local|param)", "rv", always<isInSpace>, windowFlag},
};

} // namespace

std::span<const Row> moveRows() { return rows; }

} // namespace ptxmachine
