// Rows of warp functions: shuffles, votes, match, reductions, and the warp's barrier.
#include "launch.h"
#include "row.h"

#include <algorithm>

namespace ptxmachine {

namespace {

/// What the lanes of one warp function bring and take.
struct Exchange {
  LaneMask members = 0; ///< all that take part
  uint64_t values[warpSize] = {};
  uint64_t seconds[warpSize] = {}, thirds[warpSize] = {};
  LaneMask defined = 0; ///< lanes whose value is
  uint64_t results[warpSize] = {};
  LaneMask predicates = 0, definedResults = allLanes;
};

using Compute = void (*)(Exchange &, const Instruction &);

void checkMembers(Step &s, unsigned lane, LaneMask members) {
  if (!(members >> lane & 1))
    throw Fault(FaultKind::WarpFunction, "a lane that is not in the mask of its warp function", static_cast<int>(lane));
  (void)s;
}

/// Lanes with one mask act together, from wherever they stand at such an instruction.
template <Compute compute> void together(Step &s, const Instruction &i) {
  const size_t maskAt = i.sourceCount - 1u;
  s.require(i.sources[maskAt], "the mask of a warp function");
  const auto first = static_cast<unsigned>(std::countr_zero(s.mask));
  const LaneMask members = s.source(i, maskAt).get<uint32_t>(first);
  LaneMask same = 0;
  forLanes(s.mask, [&](unsigned lane) {
    const LaneMask own = s.source(i, maskAt).get<uint32_t>(lane);
    checkMembers(s, lane, own);
    same |= static_cast<LaneMask>(own == members) << lane;
  });
  Warp &warp = s.warp;
  if (const LaneMask others = s.mask & ~same)
    warp.branch(others, warp.nextPlace() - 1);
  s.mask = same;
  std::vector<Group *> groups;
  if (!warp.meet(s, i, members, groups))
    return;
  Exchange exchange;
  for (Group *group : groups) {
    const Step each = warp.stepOf(*group, group->mask);
    const Instruction &at = *group->waitsAt;
    exchange.members |= group->mask;
    forLanes(group->mask, [&](unsigned lane) {
      const auto value = [&](size_t k) {
        return (at.sourceCount > k ? each.source(at, k).at[lane] : 0) ^ (at.negated >> k & 1);
      };
      exchange.values[lane] = value(0);
      exchange.seconds[lane] = value(1);
      exchange.thirds[lane] = value(2);
    });
    exchange.defined |= group->mask & each.defined(at.sources[0]);
  }
  compute(exchange, i);
  for (Group *group : groups) {
    const Step each = warp.stepOf(*group, group->mask);
    const Instruction &at = *group->waitsAt;
    if (at.resultCount) {
      forLanes(group->mask, [&](unsigned lane) { each.result(at).at[lane] = exchange.results[lane]; });
      each.define(at, 0, exchange.definedResults);
    }
    if (at.resultCount > 1) {
      forLanes(group->mask, [&](unsigned lane) { each.result(at, 1).at[lane] = exchange.predicates >> lane & 1; });
      each.define(at, 1, allLanes);
    }
    warp.setReady(*group);
  }
}

enum Mode : uint32_t { Up, Down, Butterfly, Index };

/// PTX ISA, shfl.sync: `c` holds the clamp in bits 0-4 and the mask of the segment in bits 8-12.
void shuffle(Exchange &x, const Instruction &i) {
  x.definedResults = 0;
  forLanes(x.members, [&](unsigned lane) {
    const auto b = static_cast<unsigned>(x.seconds[lane] & 31), c = static_cast<unsigned>(x.thirds[lane]);
    const unsigned clamp = c & 31, segment = c >> 8 & 31;
    const unsigned highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
    unsigned from = 0;
    bool isInside = false;
    switch (i.flags) {
    case Up:
      from = lane - b;
      isInside = static_cast<int>(from) >= static_cast<int>(highest);
      break;
    case Down:
      from = lane + b;
      isInside = from <= highest;
      break;
    case Butterfly:
      from = lane ^ b;
      isInside = from <= highest;
      break;
    default:
      from = lowest | (b & ~segment);
      isInside = from <= highest;
    }
    if (!isInside)
      from = lane;
    from &= 31;
    x.results[lane] = x.values[from];
    x.predicates |= static_cast<LaneMask>(isInside) << lane;
    x.definedResults |= (x.defined & x.members) >> from & 1 ? LaneMask{1} << lane : 0;
  });
}

LaneMask positives(const Exchange &x) {
  LaneMask result = 0;
  forLanes(x.members, [&](unsigned lane) { result |= static_cast<LaneMask>(x.values[lane] & 1) << lane; });
  return result;
}

void requireAll(const Exchange &x) {
  if (const LaneMask missing = x.members & ~x.defined)
    throw Fault(FaultKind::UndefinedValue, "the operand of a warp function is a value that was never set",
                std::countr_zero(missing));
}

enum Vote : uint32_t { All, Any, Uniform, Ballot };

void vote(Exchange &x, const Instruction &i) {
  requireAll(x);
  const LaneMask yes = positives(x);
  const uint64_t result = i.flags == Ballot ? yes
                          : i.flags == All  ? yes == x.members
                          : i.flags == Any  ? yes != 0
                                            : yes == 0 || yes == x.members;
  std::fill(std::begin(x.results), std::end(x.results), result);
}

void matchAny(Exchange &x, const Instruction &i) {
  requireAll(x);
  const uint64_t bits = i.type.bits == 64 ? ~uint64_t{0} : 0xFFFFFFFF;
  forLanes(x.members, [&](unsigned lane) {
    forLanes(x.members, [&](unsigned other) {
      if (((x.values[lane] ^ x.values[other]) & bits) == 0)
        x.results[lane] |= uint64_t{1} << other;
    });
  });
}

void matchAll(Exchange &x, const Instruction &i) {
  matchAny(x, i);
  const bool isEqual = x.results[std::countr_zero(x.members)] == x.members;
  std::fill(std::begin(x.results), std::end(x.results), isEqual ? x.members : 0);
  x.predicates = isEqual ? allLanes : 0;
}

enum Reduction : uint32_t { Add, Min, Max, And, Or, Xor };

void reduce(Exchange &x, const Instruction &i) {
  requireAll(x);
  bool isFirst = true;
  int64_t result = 0;
  forLanes(x.members, [&](unsigned lane) {
    const auto word = static_cast<uint32_t>(x.values[lane]);
    const int64_t value = i.type.isSigned() ? static_cast<int32_t>(word) : static_cast<int64_t>(word);
    switch (i.flags) {
    case Add:
      result += value;
      break;
    case Min:
      result = isFirst ? value : std::min(result, value);
      break;
    case Max:
      result = isFirst ? value : std::max(result, value);
      break;
    case And:
      result = isFirst ? value : result & value;
      break;
    case Or:
      result |= value;
      break;
    default:
      result ^= value;
    }
    isFirst = false;
  });
  std::fill(std::begin(x.results), std::end(x.results), static_cast<uint32_t>(result));
}

void nothing(Exchange &, const Instruction &) {}

/// The one warp function that orders memory.
void warpBarrier(Step &s, const Instruction &i) {
  const LaneMask members = s.source(i, 0).get<uint32_t>(static_cast<unsigned>(std::countr_zero(s.mask))) & s.warp.alive;
  Warp &warp = s.warp;
  together<nothing>(s, i);
  const bool isOver = std::none_of(warp.groups.begin(), warp.groups.end(), [&](const Group &group) {
    return group.state == Group::State::AtWarpFunction && (group.mask & members);
  });
  if (isOver)
    warp.clock.meet(members);
}

/// The lanes that run together; any that are there would do.
void activeMask(Step &s, const Instruction &i) {
  forLanes(s.mask, [&](unsigned lane) { s.result(i).at[lane] = s.mask; });
  s.define(i, 0, allLanes);
}

void elect(Step &s, const Instruction &i) {
  forLanes(s.mask, [&](unsigned lane) {
    s.result(i, 0).at[lane] = static_cast<unsigned>(std::countr_zero(s.mask));
    s.result(i, 1).at[lane] = lane == static_cast<unsigned>(std::countr_zero(s.mask));
  });
  s.define(i, 0, allLanes);
  s.define(i, 1, allLanes);
}

template <Execute function> Execute always(const Spelling &) { return function; }
uint32_t modeOf(const Spelling &s) {
  return s.has("up") ? Up : s.has("down") ? Down : s.has("bfly") ? Butterfly : Index;
}
uint32_t voteOf(const Spelling &s) {
  return s.has("ballot") ? Ballot : s.has("all") ? All : s.has("any") ? Any : Uniform;
}
uint32_t reductionOf(const Spelling &s) {
  return s.has("add") ? Add : s.has("min") ? Min : s.has("max") ? Max : s.has("and") ? And : s.has("or") ? Or : Xor;
}

constexpr Row rows[] = {
    {"shfl.sync.(up|down|bfly|idx).b32", "Pvvvv", always<together<shuffle>>, modeOf},
    {"vote.sync.(all|any|uni).pred", "rpv", always<together<vote>>, voteOf},
    {"vote.sync.ballot.b32", "rpv", always<together<vote>>, voteOf},
    {"match.any.sync.(b32|b64)", "rvv", always<together<matchAny>>},
    {"match.all.sync.(b32|b64)", "Pvv", always<together<matchAll>>},
    {"redux.sync.(add|min|max).(u32|s32)", "rvv", always<together<reduce>>, reductionOf},
    {"redux.sync.(and|or|xor).b32", "rvv", always<together<reduce>>, reductionOf},
    {"bar.warp.sync", "v", always<warpBarrier>},
    {"activemask.b32", "r", always<activeMask>},
    {"elect.sync", "Pv", always<elect>},
};

} // namespace

std::span<const Row> warpRows() { return rows; }

} // namespace ptxmachine
