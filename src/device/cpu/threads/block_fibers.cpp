// BlockFibers: scheduling of strands that wait for each other.
#include "device/cpu/threads/block_fibers.h"

#include "device/cpu/threads/grid_fibers.h"
#include "device/cpu/threads/safepoint.h"
#include "device/cpu/threads/worker_memory.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>
#include <sched.h>

extern "C" [[noreturn]] void treadle_cpu_fail(const treadle::cpu::FailureCall *call);

namespace treadle::cpu {

namespace {

constexpr unsigned warpLanes = 32;
std::atomic<uint64_t> splitCount{0};

uint32_t count(uint32_t lanes) { return uint32_t(std::popcount(lanes)); }

} // namespace

/// Lanes of a warp that run together.
struct BlockFibers::Strand {
  Strand(Warp &warp, uint32_t lanes, std::unique_ptr<Fiber> fiber)
      : warp(&warp), lanes(lanes), fiber(std::move(fiber)) {}

  Warp *warp;
  uint32_t lanes;
  std::unique_ptr<Fiber> fiber;
  State state = State::Ready;
  uint64_t answer = 0; ///< the call's result when the strand is resumed
  BarrierCall barrier{};
  GatherCall gather{};
  // By lane: the strand's values for a gather, and the gathered ones. Not on its stack, which another strand may
  // occupy.
  char given[warpLanes * sizeof(uint64_t)] = {}, gathered[warpLanes * sizeof(uint64_t)] = {};
};

BlockFibers::BlockFibers() = default;
BlockFibers::~BlockFibers() = default;

BlockFibers *&BlockFibers::current() {
  static thread_local BlockFibers *block = nullptr;
  return block;
}

uint64_t BlockFibers::splits() { return splitCount.load(std::memory_order_relaxed); }

void BlockFibers::reset() {
  ready.clear();
  strands.clear();
  warps.clear();
  running = nullptr;
  aliveThreads = waitingThreads = votes = 0;
}

void BlockFibers::start(const BlockCall &block) {
  call = block;
  const uint32_t *extent = call.geometry->blockDim;
  aliveThreads = extent[0] * extent[1] * extent[2];
  const unsigned count = (aliveThreads + warpLanes - 1) / warpLanes;
  warps.resize(count);
  stacks.resize(std::max<size_t>(stacks.size(), count));
  for (unsigned i = 0; i < count; ++i) {
    if (!stacks[i] || !stacks[i]->isEnoughFor(call.arena->stackBytes))
      stacks[i] = std::make_shared<FiberStack>(call.arena->stackBytes);
    const unsigned threads = std::min(aliveThreads - i * warpLanes, warpLanes);
    const uint32_t lanes = threads == warpLanes ? ~0u : (1u << threads) - 1;
    warps[i] = {i * warpLanes, lanes, 0};
    strands.push_back(std::make_unique<Strand>(warps[i], lanes, std::make_unique<Fiber>(stacks[i], &main)));
    ready.push_back(strands.back().get());
  }
}

void BlockFibers::run(const BlockCall &block) {
  reset();
  start(block);
  char *const outerLimit = call.arena->stackLimit;
  while (!strands.empty()) {
    if (ready.empty())
      resumeYielded();
    running = ready.front();
    ready.pop_front();
    call.arena->useStack(running->fiber->where().base());
    current() = this;
    running->fiber->resume(this);
    current() = nullptr;
    if (request == Request::Safepoint)
      atSafepoint(*running);
    else
      serve(*running);
  }
  call.arena->stackLimit = outerLimit;
}

TREADLE_ON_FIBER void BlockFibers::main(void *self) {
  auto *block = static_cast<BlockFibers *>(self);
  block->running->fiber->enter();
  const BlockCall &call = block->call;
  call.function(call.parameters, call.geometry, call.block, block->running->warp->linear, call.arena);
  block->suspend(Request::Exit, 0, 0);
  __builtin_unreachable();
}

/// Its frame must hold nothing that belongs to one fiber, as it also returns on copies of the fiber.
TREADLE_ON_FIBER uint64_t BlockFibers::suspend(Request what, uint32_t here, uint32_t alive) {
  request = what;
  requestHere = here;
  requestAlive = alive;
  running->fiber->suspend();
  return running->answer;
}

TREADLE_ON_FIBER uint64_t BlockFibers::barrier(uint32_t here, uint32_t alive, const BarrierCall &asked) {
  barrierCall = asked;
  return suspend(Request::Barrier, here, alive);
}

TREADLE_ON_FIBER uint64_t BlockFibers::gather(uint32_t here, uint32_t alive, const GatherCall &asked) {
  // The warp's other lanes have exited, or are not members.
  Warp &warp = *running->warp;
  const uint32_t elsewhere = warp.alive & ~running->lanes;
  if ((asked.members & (elsewhere | (alive & ~here))) == 0)
    return uint64_t(here & asked.members) << 32 | alive; // the lanes need not split
  gatherCall = asked;
  if (asked.bytes)
    std::memcpy(running->given, asked.values, size_t(asked.bytes) * warpLanes);
  const uint64_t answer = suspend(Request::Gather, here, alive);
  if ((answer >> 32) && asked.bytes)
    std::memcpy(asked.values, running->gathered, size_t(asked.bytes) * warpLanes);
  return answer;
}

TREADLE_ON_FIBER uint64_t BlockFibers::yield(uint32_t here, uint32_t alive) {
  return suspend(Request::Yield, here, alive);
}

TREADLE_ON_FIBER void BlockFibers::stopAtSafepoint() {
  request = Request::Safepoint;
  running->fiber->suspend();
}

/// The strand resumes where it stopped. Blocks of a waiting grid are fibers themselves.
void BlockFibers::atSafepoint(Strand &strand) {
  if (GridFibers *grid = GridFibers::current())
    grid->yield();
  else
    serveSafepoint();
  ready.push_front(&strand);
}

/// The lanes that do not wait continue in a copy of the fiber.
void BlockFibers::splitOff(Strand &strand, uint32_t rest) {
  splitCount.fetch_add(1, std::memory_order_relaxed);
  strand.lanes &= ~rest;
  strands.push_back(std::make_unique<Strand>(*strand.warp, rest, strand.fiber->split()));
  strands.back()->answer = rest;
  ready.push_back(strands.back().get());
}

void BlockFibers::remove(Strand &strand) {
  for (auto &own : strands)
    if (own.get() == &strand) {
      std::swap(own, strands.back());
      strands.pop_back();
      return;
    }
}

void BlockFibers::serve(Strand &strand) {
  Warp &warp = *strand.warp;
  const uint32_t exited = strand.lanes & ~requestAlive;
  aliveThreads -= count(exited);
  warp.alive &= ~exited;
  strand.lanes &= requestAlive;
  if (request == Request::Exit) {
    remove(strand);
  } else {
    if (const uint32_t rest = strand.lanes & ~requestHere)
      splitOff(strand, rest);
    strand.answer = strand.lanes;
  }
  if (request == Request::Barrier) {
    strand.state = State::AtBarrier;
    strand.barrier = barrierCall;
    waitingThreads += count(strand.lanes);
    votes += count(barrierCall.votes & strand.lanes);
  } else if (request == Request::Gather) {
    strand.state = State::AtGather;
    strand.gather = gatherCall;
    warp.gathered |= strand.lanes;
  } else if (request == Request::Yield) {
    strand.state = State::Yielded;
  }
  if (warp.gathered)
    finishGather(warp);
  finishBarrier();
}

void BlockFibers::finishBarrier() {
  if (waitingThreads == 0 || waitingThreads != aliveThreads)
    return;
  const auto isAny = [&](auto which) {
    return std::ranges::any_of(strands, [&](const auto &strand) { return which(strand->barrier.kind); });
  };
  if (isAny([](BarrierCall::Kind kind) { return kind == BarrierCall::Grid; }))
    GridFibers::current()->waitForGrid();
  if (isAny([](BarrierCall::Kind kind) { return kind >= BarrierCall::Cluster; }))
    GridFibers::current()->waitForCluster();
  for (auto &strand : strands) {
    const BarrierCall::Kind kind = strand->barrier.kind;
    const uint32_t result = kind == BarrierCall::Count ? votes
                            : kind == BarrierCall::And ? votes == aliveThreads
                                                       : votes != 0;
    strand->answer = uint64_t(result) << 32 | strand->lanes;
    strand->state = State::Ready;
    ready.push_back(strand.get());
  }
  waitingThreads = votes = 0;
}

/// Resumes the strands of the warp whose members have all arrived, with the values of all of them.
void BlockFibers::finishGather(Warp &warp) {
  uint32_t done = 0;
  std::vector<Strand *> waiting;
  for (auto &strand : strands)
    if (strand->warp == &warp && strand->state == State::AtGather)
      waiting.push_back(strand.get());
  for (Strand *strand : waiting) {
    const uint32_t members = strand->gather.members & warp.alive;
    if ((members & ~warp.gathered) != 0)
      continue;
    for (const Strand *other : waiting)
      for (uint32_t left = other->lanes; left; left &= left - 1) {
        const size_t place = size_t(std::countr_zero(left)) * strand->gather.bytes;
        std::memcpy(strand->gathered + place, other->given + place, strand->gather.bytes);
      }
    strand->answer = uint64_t(members) << 32 | strand->lanes;
    done |= strand->lanes;
  }
  for (Strand *strand : waiting)
    if ((strand->lanes & done) != 0) {
      strand->state = State::Ready;
      ready.push_back(strand);
    }
  warp.gathered &= ~done;
}

void BlockFibers::resumeYielded() {
  bool any = false;
  for (auto &strand : strands)
    if (strand->state == State::Yielded) {
      strand->state = State::Ready;
      ready.push_back(strand.get());
      any = true;
    }
  if (!any)
    failStuck();
  if (GridFibers *grid = GridFibers::current())
    grid->yield();
  else
    sched_yield();
}

/// Deadlock: some strands wait for lanes of their warp that wait at a barrier, or for each other.
void BlockFibers::failStuck() {
  FaultPlace place;
  for (auto &strand : strands)
    if (strand->state == State::AtGather)
      place = strand->gather.place;
  const FailureCall failure{Fault::WaitsForever, place, 0, {}};
  treadle_cpu_fail(&failure);
}

} // namespace treadle::cpu

using treadle::cpu::BlockFibers;
using treadle::cpu::GridFibers;
using treadle::cpu::WorkerMemory;

extern "C" void treadle_cpu_run_block(const treadle::cpu::BlockCall *call) {
  try {
    GridFibers *grid = GridFibers::current();
    (grid ? grid->blockFibers() : WorkerMemory::ofThisThread().blockFibers()).run(*call);
    return;
  } catch (const std::bad_alloc &) {
    // Reported below: a longjmp out of here would leak the exception.
  }
  const treadle::cpu::FailureCall failure{treadle::Fault::OutOfMemory, {}, 0, {}};
  treadle_cpu_fail(&failure);
}

extern "C" TREADLE_ON_FIBER uint64_t treadle_cpu_barrier(uint32_t here, uint32_t alive,
                                                         const treadle::cpu::BarrierCall *call) {
  return BlockFibers::current()->barrier(here, alive, *call);
}

extern "C" TREADLE_ON_FIBER uint64_t treadle_cpu_gather(uint32_t here, uint32_t alive,
                                                        const treadle::cpu::GatherCall *call) {
  return BlockFibers::current()->gather(here, alive, *call);
}

extern "C" TREADLE_ON_FIBER uint64_t treadle_cpu_yield(uint32_t here, uint32_t alive) {
  return BlockFibers::current()->yield(here, alive);
}
