// GridFibers: blocks that must run concurrently, as fibers of the workers that took them.
#pragma once

#include "device/cpu/block_fibers.h"
#include "device/cpu/worker_memory.h"
#include "device/cpu/worker_pool.h"

#include <memory>
#include <mutex>
#include <vector>

namespace treadle::cpu {

/// Where the blocks of one launch meet. Shared by all workers.
class GridMeeting {
public:
  explicit GridMeeting(uint64_t blocks) : unfinished(blocks) {}
  /// A block begins to wait; returns the round whose end it waits for.
  uint64_t arrive();
  void finish();
  bool isOver(uint64_t round) const { return rounds.load(std::memory_order_acquire) != round; }

private:
  void endRoundIfComplete();
  std::mutex mutex;
  uint64_t unfinished, waiting = 0;
  std::atomic<uint64_t> rounds{0};
};

/// The blocks of one cluster, which all run on one worker, and their shared memories, side by side.
class ClusterMeeting {
public:
  /// Throws std::bad_alloc.
  ClusterMeeting(unsigned blocks, size_t sharedBytes);
  ClusterMeeting(const ClusterMeeting &) = delete;
  ClusterMeeting &operator=(const ClusterMeeting &) = delete;
  ~ClusterMeeting();
  /// As in GridMeeting.
  uint64_t arrive();
  void finish();
  bool isOver(uint64_t round) const { return rounds != round; }
  char *const shared; ///< of rank 0

private:
  void endRoundIfComplete();
  unsigned unfinished, waiting = 0;
  uint64_t rounds = 0;
};

struct GridRequest {
  KernelFunction function;
  const void *parameters;
  const LaunchGeometry *geometry;
  BlockNeeds needs;
  size_t limit; ///< how many blocks a worker may have started and not finished
  Work *work;
  GridMeeting *meeting;
};

/// The blocks that one worker has started and not finished. A block runs until it waits for others; then the worker
/// resumes another one, or takes a new one.
class GridFibers {
public:
  explicit GridFibers(const GridRequest &request);
  GridFibers(const GridFibers &) = delete;
  GridFibers &operator=(const GridFibers &) = delete;
  ~GridFibers();

  /// Runs blocks [first, last), or clusters where the geometry has them, and all further ones that it can take from the
  /// work. Returns when all have finished,
  /// or the launch is ended: suspended blocks are then dropped.
  void run(uint64_t first, uint64_t last);

  // Called by generated code on a block's fiber.
  void waitForGrid();
  void waitForCluster();
  /// All threads of the block wait for something.
  void yield();
  BlockFibers &blockFibers();

  /// The grid whose fiber the calling thread is on; null on any other stack.
  static GridFibers *&current();

private:
  struct Resident;
  [[noreturn]] static void main(void *self);
  void begin(uint64_t block, std::shared_ptr<ClusterMeeting> cluster, unsigned rank);
  void beginUnit(uint64_t unit);
  bool canContinue(const Resident &resident) const;
  void resume(Resident &resident);
  bool resumeWhatCan();
  void remove(size_t position);

  const GridRequest request;
  std::vector<std::unique_ptr<Resident>> residents;
  std::vector<std::unique_ptr<Resident>> spare; ///< finished ones, kept for their memory
  Resident *running = nullptr;
};

} // namespace treadle::cpu
