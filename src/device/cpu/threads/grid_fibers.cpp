// GridFibers: takes blocks, runs those that can continue, waits when all are blocked.
#include "device/cpu/threads/grid_fibers.h"

#include <new>
#include <sched.h>
#include <utility>

namespace treadle::cpu {

uint64_t BarrierRounds::arrive() {
  const uint64_t round = rounds.load(std::memory_order_relaxed);
  ++waiting;
  endRoundIfComplete();
  return round;
}

void BarrierRounds::finish() {
  --unfinished;
  endRoundIfComplete();
}

void BarrierRounds::endRoundIfComplete() {
  if (waiting == 0 || waiting != unfinished)
    return;
  waiting = 0;
  rounds.store(rounds.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

namespace {
constexpr std::align_val_t sharedAlignment{128};
} // namespace

ClusterState::ClusterState(unsigned blocks, size_t sharedBytes)
    : barrier(blocks), shared(static_cast<char *>(::operator new(blocks *sharedBytes, sharedAlignment))) {}

ClusterState::~ClusterState() { ::operator delete(shared, sharedAlignment); }

struct GridFibers::Resident {
  enum class State : uint8_t { Ready, Waiting, WaitingForCluster, Ended } state = State::Ready;
  uint64_t unit = 0;
  uint64_t round = 0; ///< Waiting: the round whose end it waits for
  WorkerMemory memory;
  WorkerArena arena;
  std::shared_ptr<ClusterState> cluster; ///< null: no clusters
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

void GridFibers::begin(uint64_t block, std::shared_ptr<ClusterState> cluster, unsigned rank) {
  if (spare.empty()) {
    spare.push_back(std::make_unique<Resident>());
    spare.back()->stack = std::make_shared<FiberStack>(request.needs.stackBytes);
  }
  std::unique_ptr<Resident> resident = std::move(spare.back());
  spare.pop_back();
  resident->state = Resident::State::Ready;
  resident->unit = block;
  resident->arena = *resident->memory.lend(request.needs, resident->stack->base());
  if (cluster)
    resident->arena.shared = cluster->shared + size_t(rank) * request.geometry->clusterStride;
  resident->cluster = std::move(cluster);
  resident->fiber = std::make_unique<Fiber>(resident->stack, &main);
  residents.push_back(std::move(resident));
}

/// All of a cluster's shared memory must exist before any of its blocks runs.
void GridFibers::beginUnit(uint64_t unit) {
  const uint32_t *extent = request.geometry->clusterDim, *grid = request.geometry->gridDim;
  const bool isClustered = request.geometry->clusterStride != 0;
  const unsigned blocks = isClustered ? extent[0] * extent[1] * extent[2] : 1;
  const size_t first = residents.size();
  if (!isClustered) {
    begin(unit, nullptr, 0);
  } else {
    const auto cluster = std::make_shared<ClusterState>(blocks, request.geometry->clusterStride);
    const uint64_t across = grid[0] / extent[0], down = grid[1] / extent[1];
    const uint64_t x = unit % across * extent[0], y = unit / across % down * extent[1],
                   z = unit / across / down * extent[2];
    for (unsigned rank = 0; rank < blocks; ++rank) {
      const uint64_t row = (z + rank / extent[0] / extent[1]) * grid[1] + y + rank / extent[0] % extent[1];
      begin(row * grid[0] + x + rank % extent[0], cluster, rank);
    }
  }
  for (size_t started = 0, at = first; started < blocks && request.work->shouldContinue(); ++started) {
    resume(*residents[at]);
    if (running->state == Resident::State::Ended)
      remove(at);
    else
      ++at;
  }
}

void GridFibers::main(void *self) {
  auto *grid = static_cast<GridFibers *>(self);
  Resident &own = *grid->running;
  own.fiber->enter();
  const GridRequest &request = grid->request;
  request.function(request.parameters, request.geometry, own.unit, own.unit + 1, &own.arena);
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
  request.gridBarrier->finish();
  if (const std::shared_ptr<ClusterState> cluster = std::move(residents[position]->cluster))
    cluster->barrier.finish();
  spare.push_back(std::move(residents[position]));
  residents[position] = std::move(residents.back());
  residents.pop_back();
}

bool GridFibers::canContinue(const Resident &resident) const {
  if (resident.state == Resident::State::Waiting)
    return request.gridBarrier->isOver(resident.round);
  return resident.state != Resident::State::WaitingForCluster || resident.cluster->barrier.isOver(resident.round);
}

bool GridFibers::resumeWhatCan() {
  bool any = false;
  for (size_t i = 0; i < residents.size();) {
    Resident &resident = *residents[i];
    if (!canContinue(resident)) {
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
  while (request.work->shouldContinue()) {
    // All blocks are started before any is resumed, as those that have started may wait for those that have not.
    while (residents.size() < request.limit && hasMore && request.work->shouldContinue()) {
      if (first == last)
        hasMore = request.work->take(first, last);
      if (!hasMore)
        break;
      beginUnit(first++);
    }
    if (residents.empty() && !hasMore)
      break;
    if (!resumeWhatCan())
      sched_yield();
  }
}

TREADLE_ON_FIBER void GridFibers::waitForGrid() {
  running->round = request.gridBarrier->arrive();
  running->state = Resident::State::Waiting;
  running->fiber->suspend();
}

/// No-op for a block that is a cluster by itself.
TREADLE_ON_FIBER void GridFibers::waitForCluster() {
  if (!running->cluster)
    return;
  running->round = running->cluster->barrier.arrive();
  running->state = Resident::State::WaitingForCluster;
  running->fiber->suspend();
}

TREADLE_ON_FIBER void GridFibers::yield() { running->fiber->suspend(); }

BlockFibers &GridFibers::blockFibers() { return running->memory.blockFibers(); }

} // namespace treadle::cpu

extern "C" void treadle_cpu_grid_barrier() { treadle::cpu::GridFibers::current()->waitForGrid(); }

extern "C" void treadle_cpu_cluster_barrier() { treadle::cpu::GridFibers::current()->waitForCluster(); }

extern "C" void treadle_cpu_block_yield() { treadle::cpu::GridFibers::current()->yield(); }
