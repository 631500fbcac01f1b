// Which lanes run next, branches, calls and returns.
#include "cluster.h"
#include "launch.h"

#include <algorithm>

namespace ptxmachine {

namespace {
constexpr unsigned patience = 200; ///< turns in a row of the preferred group before another one gets a chance
}

Warp::Warp(Block &block, unsigned index, unsigned threads)
    : block(block), index(index), alive(threads == warpSize ? allLanes : (LaneMask{1} << threads) - 1),
      clock(static_cast<uint32_t>(block.index * block.launch.warpsPerBlock + index),
            static_cast<uint32_t>(block.index)) {
  fillSpecials(threads);
  Group group;
  group.mask = alive;
  group.frame = std::make_shared<Frame>(launch().code());
  groups.push_back(std::move(group));
}

Launch &Warp::launch() const { return block.launch; }

void Warp::fillSpecials(unsigned) {
  const LaunchShape &shape = launch().shape;
  const auto set = [&](Special special, unsigned lane, uint64_t value) {
    specials[static_cast<size_t>(special)].at[lane] = value;
  };
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    const unsigned thread = index * warpSize + lane;
    set(Special::TidX, lane, thread % shape.block[0]);
    set(Special::TidY, lane, thread / shape.block[0] % shape.block[1]);
    set(Special::TidZ, lane, thread / shape.block[0] / shape.block[1]);
    for (unsigned axis = 0; axis < 3; ++axis) {
      set(static_cast<Special>(static_cast<unsigned>(Special::NtidX) + axis), lane, shape.block[axis]);
      set(static_cast<Special>(static_cast<unsigned>(Special::CtaidX) + axis), lane, block.place[axis]);
      set(static_cast<Special>(static_cast<unsigned>(Special::NctaidX) + axis), lane, shape.grid[axis]);
      const unsigned extent = shape.cluster[axis];
      set(static_cast<Special>(static_cast<unsigned>(Special::ClusterIdX) + axis), lane, block.place[axis] / extent);
      set(static_cast<Special>(static_cast<unsigned>(Special::NclusterIdX) + axis), lane, shape.grid[axis] / extent);
      set(static_cast<Special>(static_cast<unsigned>(Special::ClusterCtaidX) + axis), lane, block.place[axis] % extent);
      set(static_cast<Special>(static_cast<unsigned>(Special::ClusterNctaidX) + axis), lane, extent);
    }
    set(Special::LaneId, lane, lane);
    set(Special::WarpId, lane, index);
    set(Special::NwarpId, lane, 64);
    set(Special::SmId, lane, block.index % 4);
    set(Special::NsmId, lane, 4);
    set(Special::GridId, lane, 1);
    const LaneMask own = LaneMask{1} << lane;
    set(Special::LanemaskEq, lane, own);
    set(Special::LanemaskLt, lane, own - 1);
    set(Special::LanemaskLe, lane, own | (own - 1));
    set(Special::LanemaskGt, lane, ~(own | (own - 1)));
    set(Special::LanemaskGe, lane, ~(own - 1));
    const uint64_t blocks = uint64_t{shape.cluster[0]} * shape.cluster[1] * shape.cluster[2];
    set(Special::ClusterCtarank, lane, block.rank);
    set(Special::ClusterNctarank, lane, blocks);
    set(Special::IsExplicitCluster, lane, blocks > 1);
    set(Special::DynamicSharedSize, lane, shape.dynamicShared);
    for (const Special special : {Special::TotalSharedSize, Special::ReservedShared})
      set(special, lane, launch().program->sharedBytes() + shape.dynamicShared);
  }
}

/// The clocks count the warps' instructions: a nanosecond is one of them.
void Warp::refreshClocks() {
  const uint64_t now = launch().clock;
  const auto fill = [&](Special special, uint64_t value) {
    Lanes &lanes = specials[static_cast<size_t>(special)];
    std::fill(std::begin(lanes.at), std::end(lanes.at), value);
  };
  for (const Special special : {Special::Clock, Special::Clock64, Special::GlobalTimer, Special::GlobalTimerLo})
    fill(special, special == Special::Clock || special == Special::GlobalTimerLo ? now & 0xFFFFFFFF : now);
  fill(Special::ClockHi, now >> 32);
  fill(Special::GlobalTimerHi, now >> 32);
}

bool Warp::canRun() const {
  return std::any_of(groups.begin(), groups.end(),
                     [](const Group &group) { return group.state == Group::State::Ready; });
}

/// Prefers the deepest call and the smallest program counter, which lets lanes meet again soon; but any group gets its
/// turn.
bool Warp::select() {
  size_t best = groups.size(), ready = 0;
  for (size_t each = 0; each < groups.size(); ++each) {
    if (groups[each].state != Group::State::Ready)
      continue;
    ++ready;
    const auto key = [](const Group &group) { return std::make_pair(~group.frame->localBase, group.pc); };
    if (best == groups.size() || key(groups[each]) < key(groups[best]))
      best = each;
  }
  if (!ready)
    return false;
  if (ready > 1 && ++turns > patience) {
    turns = 0;
    do
      best = launch().pick(groups.size());
    while (groups[best].state != Group::State::Ready);
  }
  current = best;
  return true;
}

/// Joins other lanes that stand where the group stands.
void Warp::mergeInto(size_t into) {
  for (size_t each = groups.size(); each-- > 0;) {
    Group &group = groups[each], &target = groups[into];
    if (each == into || group.state != Group::State::Ready || group.pc != target.pc || group.frame != target.frame)
      continue;
    target.mask |= group.mask;
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(each));
    into -= each < into;
    current = into;
  }
}

LaneMask Warp::guardOf(const Instruction &i, const Group &group) const {
  const Lanes &values = group.frame->registers[i.guard];
  if (const LaneMask undefined = group.mask & ~group.frame->defined[i.guard])
    throw Fault(FaultKind::UndefinedValue, "the predicate " + group.frame->code.registers[i.guard] + " has no value",
                std::countr_zero(undefined));
  LaneMask result = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result |= static_cast<LaneMask>((values.at[lane] & 1) != i.isGuardNegated) << lane;
  return result & group.mask;
}

Step Warp::stepOf(Group &group, LaneMask mask) {
  return {*this, *group.frame, {group.frame->registers.data(), launch().program->constants().data(), specials}, mask};
}

uint64_t Warp::run(unsigned steps) {
  uint64_t executed = 0;
  bool mustSelect = true;
  refreshClocks();
  while (steps--) {
    if (groups.size() > 1 || mustSelect) {
      if (!select())
        return executed;
      if (groups.size() > 1)
        mergeInto(current);
    }
    Group &group = groups[current];
    const Instruction &i = group.frame->code.instructions[group.pc++];
    at = &i;
    ++launch().clock;
    const LaneMask mask = i.hasGuard ? guardOf(i, group) : group.mask;
    executed += static_cast<unsigned>(std::popcount(mask));
    if (!mask)
      continue;
    Step step = stepOf(group, mask);
    i.run(step, i);
    mustSelect = groups.empty() || current >= groups.size() || groups[current].state != Group::State::Ready;
  }
  return executed;
}

/// Splits the current group if only some of its lanes are meant.
size_t Warp::take(LaneMask mask) {
  if (groups[current].mask == mask)
    return current;
  Group part = groups[current];
  part.mask = mask;
  groups[current].mask &= ~mask;
  groups.push_back(std::move(part));
  return groups.size() - 1;
}

void Warp::branch(LaneMask taken, uint32_t target) { groups[take(taken)].pc = target; }

void Warp::exit(LaneMask lanes) {
  const size_t gone = take(lanes);
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(gone));
  current = 0;
  alive &= ~lanes;
  block.cluster->forget(*this, lanes);
  // Warp functions and aligned barriers wait for lanes that live; those that are parked look again.
  for (Group &group : groups)
    if (group.state == Group::State::AtWarpFunction || (group.state == Group::State::AtBarrier && !group.hasArrived)) {
      --group.pc;
      setReady(group);
    }
  block.threadsExited(static_cast<unsigned>(std::popcount(lanes)));
}

void Warp::call(Step &s, const Instruction &i) {
  const CallSite &site = *i.call;
  const Code *callee = site.callee;
  if (site.isIndirect) {
    s.require(i.sources[0], "the function that is called");
    const auto lane = static_cast<unsigned>(std::countr_zero(s.mask));
    const uint64_t address = s.source(i, 0).at[lane];
    LaneMask same = 0;
    forLanes(s.mask,
             [&](unsigned other) { same |= static_cast<LaneMask>(s.source(i, 0).at[other] == address) << other; });
    callee = launch().program->codeAt(address);
    if (!callee)
      throw Fault(FaultKind::OutOfBounds, "a call of " + std::to_string(address) + ", which is no function",
                  static_cast<int>(lane));
    if (same != s.mask) // the others look again
      --groups[take(s.mask & ~same)].pc;
    s.mask = same;
  }
  Group &group = groups[take(s.mask)];
  auto frame = std::make_shared<Frame>(*callee);
  frame->caller = group.frame;
  frame->returnTo = group.pc;
  frame->site = &site;
  frame->localBase = group.frame->localBase + group.frame->code.frameBytes;
  if (frame->localBase > (size_t{1} << 20))
    throw Fault(FaultKind::OutOfBounds, "the stack of a thread is used up by recursion", std::countr_zero(s.mask));
  if (site.arguments.size() != callee->parameterCount)
    throw Fault(FaultKind::Unsupported, "a call with " + std::to_string(site.arguments.size()) +
                                            " arguments of a function with " + std::to_string(callee->parameterCount));
  for (size_t each = 0; each < site.arguments.size(); ++each)
    copyParams(group.frame->params, site.arguments[each], frame->params, callee->params[callee->resultCount + each],
               s.mask);
  group.frame = std::move(frame);
  group.pc = 0;
}

void Warp::leave(Step &s) {
  const std::shared_ptr<Frame> frame = groups[current].frame;
  if (!frame->caller)
    return exit(s.mask);
  Group &group = groups[take(s.mask)];
  for (size_t each = 0; each < frame->site->results.size(); ++each)
    copyParams(frame->params, frame->code.params[each], frame->caller->params, frame->site->results[each], s.mask);
  group.pc = frame->returnTo;
  group.frame = frame->caller;
}

void Warp::waitAtBarrier(Step &s, const Instruction &i, unsigned barrier) {
  Group &group = groups[take(s.mask)];
  group.state = Group::State::AtBarrier;
  group.waitsAt = &i;
  group.barrier = barrier;
}

bool Warp::meet(Step &s, const Instruction &i, LaneMask members, std::vector<Group *> &arrived) {
  members &= alive;
  const size_t own = take(s.mask);
  groups[own].state = Group::State::AtWarpFunction;
  groups[own].waitsAt = &i;
  groups[own].members = members;
  LaneMask present = 0;
  for (Group &group : groups)
    if (group.state == Group::State::AtWarpFunction && (group.members & alive) == members &&
        *group.waitsAt->opcode == *i.opcode) {
      present |= group.mask;
      arrived.push_back(&group);
    }
  if ((present & members) == members)
    return true;
  arrived.clear();
  return false;
}

std::string Warp::threadText(unsigned lane) const {
  const auto axis = [&](Special first, unsigned k) {
    return std::to_string(specials[static_cast<unsigned>(first) + k].at[lane]);
  };
  return "thread (" + axis(Special::TidX, 0) + ", " + axis(Special::TidX, 1) + ", " + axis(Special::TidX, 2) +
         ") of block (" + axis(Special::CtaidX, 0) + ", " + axis(Special::CtaidX, 1) + ", " + axis(Special::CtaidX, 2) +
         ")";
}

namespace {
std::string sourceText(const Module &module, const SourceLine &source) {
  if (!source.line)
    return "";
  return (source.file < module.files.size() ? module.files[source.file] : std::string("?")) + ":" +
         std::to_string(source.line);
}
} // namespace

std::string Warp::place(const Instruction &i, int lane) const {
  const std::string where = sourceText(launch().program->module(), i.source);
  const auto shown = static_cast<unsigned>(lane >= 0 ? lane : alive ? std::countr_zero(alive) : 0);
  return " (" + *i.opcode + (where.empty() ? "" : " at " + where) + ", " + threadText(shown) + ")";
}

std::string Warp::placeOf(const Epoch &past) const {
  const unsigned perBlock = launch().warpsPerBlock;
  return "lane " + std::to_string(std::countr_zero(past.lanes)) + " of warp " + std::to_string(past.warp % perBlock) +
         " of block " + std::to_string(past.warp / perBlock) +
         (past.line ? " at line " + std::to_string(past.line) : "");
}

std::string Warp::describe() const {
  static constexpr const char *states[] = {"runs", "waits at barrier", "waits for lanes"};
  std::string text;
  for (const Group &group : groups) {
    const Instruction &i = group.waitsAt ? *group.waitsAt : group.frame->code.instructions[group.pc];
    char mask[16];
    std::snprintf(mask, sizeof mask, "%08x", group.mask);
    text += "  block " + std::to_string(block.index) + " warp " + std::to_string(index) + " lanes " + mask + " " +
            states[static_cast<size_t>(group.state)] + place(i, std::countr_zero(group.mask)) + "\n";
  }
  return text;
}

} // namespace ptxmachine
