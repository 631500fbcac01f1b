// GridFibers: blocks that must run concurrently, as fibers on the workers that took them.
#pragma once

#include "device/cpu/threads/block_fibers.h"
#include "device/cpu/threads/worker_memory.h"
#include "device/cpu/threads/worker_pool.h"

#include <memory>
#include <mutex>
#include <vector>

namespace treadle::cpu {

/// The rounds of a barrier: one ends when all unfinished blocks wait. Calls must not be concurrent, except for
/// `isOver`.
class BarrierRounds {
public:
  explicit BarrierRounds(uint64_t blocks) : unfinished(blocks) {}
  /// A block starts to wait; returns the round whose end it waits for.
  uint64_t arrive();
  void finish();
  bool isOver(uint64_t round) const { return rounds.load(std::memory_order_acquire) != round; }

private:
  void endRoundIfComplete();
  uint64_t unfinished, waiting = 0;
  std::atomic<uint64_t> rounds{0};
};

/// The grid barrier of one launch. Shared by all workers.
class GridBarrier {
public:
  explicit GridBarrier(uint64_t blocks) : barrier(blocks) {}
  uint64_t arrive() {
    const std::lock_guard lock(mutex);
    return barrier.arrive();
  }
  void finish() {
    const std::lock_guard lock(mutex);
    barrier.finish();
  }
  bool isOver(uint64_t round) const { return barrier.isOver(round); }

private:
  std::mutex mutex;
  BarrierRounds barrier;
};

/// The blocks of one cluster, which all run on one worker, and their adjacent shared memories.
struct ClusterState {
  /// Throws std::bad_alloc.
  ClusterState(unsigned blocks, size_t sharedBytes);
  ClusterState(const ClusterState &) = delete;
  ClusterState &operator=(const ClusterState &) = delete;
  ~ClusterState();

  BarrierRounds barrier;
  char *const shared; ///< of rank 0
};

struct GridRequest {
  KernelFunction function;
  const void *parameters;
  const LaunchGeometry *geometry;
  BlockNeeds needs;
  size_t limit; ///< the maximum number of blocks in progress on a worker
  Work *work;
  GridBarrier *gridBarrier;
};

/// The blocks in progress on one worker. A block runs until it waits for others; then the worker resumes another one,
/// or takes a new one.
class GridFibers {
public:
  explicit GridFibers(const GridRequest &request);
  GridFibers(const GridFibers &) = delete;
  GridFibers &operator=(const GridFibers &) = delete;
  ~GridFibers();

  /// Runs blocks [first, last), or clusters if the geometry has them, and all further ones that it can take from the
  /// work. Returns when all have finished, or the launch is cancelled: suspended blocks are then dropped.
  void run(uint64_t first, uint64_t last);

  // Called by generated code on a block's fiber.
  void waitForGrid();
  void waitForCluster();
  /// All threads of the block are waiting.
  void yield();
  BlockFibers &blockFibers();

  /// The grid whose fiber the calling thread is on; null on any other stack.
  static GridFibers *&current();

private:
  struct Resident;
  [[noreturn]] static void main(void *self);
  void begin(uint64_t block, std::shared_ptr<ClusterState> cluster, unsigned rank);
  void beginUnit(uint64_t unit);
  bool canContinue(const Resident &resident) const;
  void resume(Resident &resident);
  bool resumeWhatCan();
  void remove(size_t position);

  const GridRequest request;
  std::vector<std::unique_ptr<Resident>> residents;
  std::vector<std::unique_ptr<Resident>> spare; ///< finished ones, whose memory is reused
  Resident *running = nullptr;
};

} // namespace treadle::cpu
