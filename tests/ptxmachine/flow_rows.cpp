// Rows of control flow: branches, calls, returns, traps.
#include "launch.h"
#include "row.h"

namespace ptxmachine {

namespace {

void branch(Step &s, const Instruction &i) { s.warp.branch(s.mask, i.target); }

void branchByIndex(Step &s, const Instruction &i) {
  s.require(i.sources[0], "the index of a branch");
  const auto lane = static_cast<unsigned>(std::countr_zero(s.mask));
  const uint32_t index = s.source(i, 0).get<uint32_t>(lane);
  LaneMask same = 0;
  forLanes(s.mask, [&](unsigned other) {
    same |= static_cast<LaneMask>(s.source(i, 0).get<uint32_t>(other) == index) << other;
  });
  if (index >= i.targets->size())
    throw Fault(FaultKind::OutOfBounds,
                "a branch to target " + std::to_string(index) + " of " + std::to_string(i.targets->size()),
                static_cast<int>(lane));
  if (const LaneMask others = s.mask & ~same)
    s.warp.branch(others, s.warp.nextPlace() - 1); // they look again
  s.warp.branch(same, (*i.targets)[index]);
}

void exit(Step &s, const Instruction &) { s.warp.exit(s.mask); }
void leave(Step &s, const Instruction &) { s.warp.leave(s); }
void nothing(Step &, const Instruction &) {}

void trap(Step &s, const Instruction &) {
  throw Fault(FaultKind::Trap, "the kernel ended itself by trap", std::countr_zero(s.mask));
}

void call(Step &s, const Instruction &i) {
  if (i.call->external)
    i.call->external(s, *i.call);
  else
    s.warp.call(s, i);
}

template <Execute function> Execute always(const Spelling &) { return function; }

constexpr Row rows[] = {
    {"bra.[uni]", "l", always<branch>},
    {"brx.idx.[uni]", "vt", always<branchByIndex>},
    {"call.[uni]", "c", always<call>},
    {"ret.[uni]", "", always<leave>},
    {"exit", "", always<exit>},
    {"trap", "", always<trap>},
    {"brkpt", "", always<nothing>},
    {"nanosleep.u32", "v", always<nothing>},
    {"pmevent.[mask]", "v", always<nothing>},
};

} // namespace

std::span<const Row> flowRows() { return rows; }

} // namespace ptxmachine
