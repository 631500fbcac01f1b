// Rows of barriers and fences. An aligned barrier is one instruction of a whole warp.
#include "order.h"
#include "row.h"

namespace ptxmachine {

namespace {

/// The first two are the reduction, which Block reads.
enum Flag : uint32_t { Popc = 0, And = 1, Or = 2, Aligned = 4 };

uint32_t flagsOf(const Spelling &s) {
  const bool isAligned = s.words.front() == "bar" || s.has("aligned");
  return (s.has("and") ? And : s.has("or") ? Or : Popc) | (isAligned ? Aligned : 0u);
}

unsigned uniform(Step &s, const Instruction &i, size_t at) {
  s.require(i.sources[at], "the operand of a barrier");
  const auto first = static_cast<unsigned>(std::countr_zero(s.mask));
  const uint32_t value = s.source(i, at).get<uint32_t>(first);
  forLanes(s.mask, [&](unsigned lane) {
    if (s.source(i, at).get<uint32_t>(lane) != value)
      throw Fault(FaultKind::Barrier, "lanes of a warp give different operands to one barrier", static_cast<int>(lane));
  });
  return value;
}

struct Operands {
  unsigned number, count;
};

Operands operandsOf(Step &s, const Instruction &i, size_t values) {
  const unsigned number = uniform(s, i, 0), count = values > 1 ? uniform(s, i, 1) : 0;
  if (number > 15)
    throw Fault(FaultKind::Barrier, "there is no barrier " + std::to_string(number), std::countr_zero(s.mask));
  if (count % warpSize)
    throw Fault(FaultKind::Barrier,
                "the number of threads of a barrier, " + std::to_string(count) + ", is no multiple of 32",
                std::countr_zero(s.mask));
  return {number, count};
}

/// Lanes of an aligned barrier arrive when the whole warp stands at it.
void arrive(Step &s, const Instruction &i, Operands operands, LaneMask positives) {
  Warp &warp = s.warp;
  warp.waitAtBarrier(s, i, operands.number);
  LaneMask arrived = s.mask;
  if (i.flags & Aligned) {
    arrived = 0;
    for (const Group &group : warp.groups)
      if (group.state == Group::State::AtBarrier && group.waitsAt == &i && group.barrier == operands.number)
        arrived |= group.mask;
      else if (group.state == Group::State::AtBarrier && (group.waitsAt->flags & Aligned))
        throw Fault(FaultKind::Barrier,
                    "lanes of one warp wait at different aligned barriers: here, and" +
                        warp.place(*group.waitsAt, std::countr_zero(group.mask)),
                    std::countr_zero(s.mask));
    warp.pendingPositives |= positives;
    if (arrived != warp.alive)
      return;
    positives = warp.pendingPositives;
    warp.pendingPositives = 0;
  }
  for (Group &group : warp.groups)
    if (group.state == Group::State::AtBarrier && (group.mask & arrived))
      group.hasArrived = true;
  warp.block.arrive(warp, arrived, operands.number, operands.count, positives);
}

void sync(Step &s, const Instruction &i) { arrive(s, i, operandsOf(s, i, i.sourceCount), 0); }

void reduce(Step &s, const Instruction &i) {
  const size_t last = i.sourceCount - 1u;
  s.require(i.sources[last], "the predicate of a barrier");
  LaneMask positives = 0;
  forLanes(s.mask, [&](unsigned lane) {
    const bool value = (s.source(i, last).at[lane] & 1) != (i.negated >> last & 1);
    positives |= static_cast<LaneMask>(value) << lane;
  });
  arrive(s, i, operandsOf(s, i, last), positives);
}

void signal(Step &s, const Instruction &i) {
  const Operands operands = operandsOf(s, i, 2);
  s.warp.block.arrive(s.warp, s.mask, operands.number, operands.count, 0);
}

void fenceAll(Step &s, const Instruction &) { fence(s, s.mask); }

template <Execute function> Execute always(const Spelling &) { return function; }

constexpr Row rows[] = {
    {"bar.[cta].sync", "v?v", always<sync>, flagsOf},
    {"barrier.[cta].sync.[aligned]", "v?v", always<sync>, flagsOf},
    {"bar.[cta].red.popc.u32", "rv?vp", always<reduce>, flagsOf},
    {"bar.[cta].red.(and|or).pred", "rv?vp", always<reduce>, flagsOf},
    {"barrier.[cta].red.popc.[aligned].u32", "rv?vp", always<reduce>, flagsOf},
    {"barrier.[cta].red.(and|or).[aligned].pred", "rv?vp", always<reduce>, flagsOf},
    {"barrier.[cta].red.[aligned].popc.u32", "rv?vp", always<reduce>, flagsOf},
    {"barrier.[cta].red.[aligned].(and|or).pred", "rv?vp", always<reduce>, flagsOf},
    {"bar.[cta].arrive", "vv", always<signal>, flagsOf},
    {"barrier.[cta].arrive.[aligned]", "vv", always<signal>, flagsOf},
    {"membar.(cta|gl|sys)", "", always<fenceAll>},
    {"fence.[sc|acq_rel|acquire|release].(cta|cluster|gpu|sys)", "", always<fenceAll>},
};

} // namespace

std::span<const Row> barrierRows() { return rows; }

} // namespace ptxmachine
