// GridFibers: blocks that must run at once, as fibers of the workers that took them.
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
  /// A block waits; gives the round it waits for the end of.
  uint64_t arrive();
  void finish();
  bool isOver(uint64_t round) const { return rounds.load(std::memory_order_acquire) != round; }

private:
  void endRoundIfComplete();
  std::mutex mutex;
  uint64_t unfinished, waiting = 0;
  std::atomic<uint64_t> rounds{0};
};

struct GridRequest {
  KernelFunction function;
  const void *parameters;
  const LaunchGeometry *geometry;
  size_t sharedBytes, contextBytes;
  size_t limit; ///< blocks of one worker that may be under way at once
  Work *work;
  GridMeeting *meeting;
};

/// The blocks that one worker has begun and not ended. A block runs until it waits for others; then the worker goes on
/// with another one, or takes a new one.
class GridFibers {
public:
  explicit GridFibers(const GridRequest &request);
  GridFibers(const GridFibers &) = delete;
  GridFibers &operator=(const GridFibers &) = delete;
  ~GridFibers();

  /// Runs blocks [first, last) and what else it can take from the work; returns when all of them have ended.
  void run(uint64_t first, uint64_t last);

  // Called by generated code on a block's fiber.
  void waitForGrid();
  /// The block's threads all wait for something.
  void yield();
  BlockFibers &blockFibers();

  /// Of the block's fiber that the calling thread runs; null on any other stack.
  static GridFibers *&current();

private:
  struct Resident;
  [[noreturn]] static void main(void *self);
  void begin(uint64_t unit);
  void resume(Resident &resident);
  bool resumeWhatCan();
  void remove(size_t position);

  const GridRequest request;
  std::vector<std::unique_ptr<Resident>> residents;
  std::vector<std::unique_ptr<Resident>> spare; ///< ended ones, for their memory
  Resident *running = nullptr;
};

} // namespace treadle::cpu
