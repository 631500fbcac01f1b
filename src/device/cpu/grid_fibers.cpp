// GridFibers: takes blocks, runs those that can continue, waits when none can.
#include "device/cpu/grid_fibers.h"

#include <sched.h>

namespace treadle::cpu {

uint64_t GridMeeting::arrive() {
  const std::lock_guard lock(mutex);
  const uint64_t round = rounds.load(std::memory_order_relaxed);
  ++waiting;
  endRoundIfComplete();
  return round;
}

void GridMeeting::finish() {
  const std::lock_guard lock(mutex);
  --unfinished;
  endRoundIfComplete();
}

void GridMeeting::endRoundIfComplete() {
  if (waiting == 0 || waiting != unfinished)
    return;
  waiting = 0;
  rounds.fetch_add(1, std::memory_order_release);
}

struct GridFibers::Resident {
  enum class State : uint8_t { Ready, Waiting, Ended } state = State::Ready;
  uint64_t unit = 0;
  uint64_t round = 0; ///< Waiting: for its end
  WorkerMemory memory;
  WorkerArena *arena = nullptr;
  std::shared_ptr<FiberStack> stack;
  std::unique_ptr<Fiber> fiber;
};

GridFibers::GridFibers(const GridRequest &request) : request(request) {}

GridFibers::~GridFibers() {
  if (current() == this)
    current() = nullptr;
}

GridFibers *&GridFibers::current() {
  static thread_local GridFibers *grid = nullptr;
  return grid;
}

void GridFibers::begin(uint64_t unit) {
  if (spare.empty()) {
    spare.push_back(std::make_unique<Resident>());
    spare.back()->stack = std::make_shared<FiberStack>(request.needs.stackBytes);
  }
  std::unique_ptr<Resident> resident = std::move(spare.back());
  spare.pop_back();
  resident->state = Resident::State::Ready;
  resident->unit = unit;
  resident->arena = resident->memory.lend(request.needs, resident->stack->base());
  resident->fiber = std::make_unique<Fiber>(resident->stack, &main);
  residents.push_back(std::move(resident));
}

void GridFibers::main(void *self) {
  auto *grid = static_cast<GridFibers *>(self);
  Resident &own = *grid->running;
  own.fiber->enter();
  const GridRequest &request = grid->request;
  request.function(request.parameters, request.geometry, own.unit, own.unit + 1, own.arena);
  own.state = Resident::State::Ended;
  own.fiber->suspend();
  __builtin_unreachable();
}

void GridFibers::resume(Resident &resident) {
  running = &resident;
  current() = this;
  resident.fiber->resume(this);
  current() = nullptr;
}

void GridFibers::remove(size_t position) {
  request.meeting->finish();
  spare.push_back(std::move(residents[position]));
  residents[position] = std::move(residents.back());
  residents.pop_back();
}

bool GridFibers::resumeWhatCan() {
  bool any = false;
  for (size_t i = 0; i < residents.size();) {
    Resident &resident = *residents[i];
    if (resident.state == Resident::State::Waiting && !request.meeting->isOver(resident.round)) {
      ++i;
      continue;
    }
    any = true;
    resident.state = Resident::State::Ready;
    resume(resident);
    if (resident.state == Resident::State::Ended)
      remove(i);
    else
      ++i;
  }
  return any;
}

void GridFibers::run(uint64_t first, uint64_t last) {
  bool hasMore = true;
  while (request.work->goesOn()) {
    // All blocks are started before any is resumed, as those that have started may wait for those that have not.
    while (residents.size() < request.limit && hasMore && request.work->goesOn()) {
      if (first == last)
        hasMore = request.work->take(first, last);
      if (!hasMore)
        break;
      begin(first++);
      resume(*residents.back());
      if (running->state == Resident::State::Ended)
        remove(residents.size() - 1);
    }
    if (residents.empty() && !hasMore)
      break;
    if (!resumeWhatCan())
      sched_yield();
  }
}

TREADLE_ON_FIBER void GridFibers::waitForGrid() {
  running->round = request.meeting->arrive();
  running->state = Resident::State::Waiting;
  running->fiber->suspend();
}

TREADLE_ON_FIBER void GridFibers::yield() { running->fiber->suspend(); }

BlockFibers &GridFibers::blockFibers() { return running->memory.blockFibers(); }

} // namespace treadle::cpu

extern "C" TREADLE_API void treadle_cpu_grid_barrier() { treadle::cpu::GridFibers::current()->waitForGrid(); }

extern "C" TREADLE_API void treadle_cpu_block_yield() { treadle::cpu::GridFibers::current()->yield(); }
