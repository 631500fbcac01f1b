// BlockFibers: the warps of one block as fibers, for kernels with barriers that not all threads reach together.
#pragma once

#include "border/kernel_abi.h"
#include "device/cpu/threads/fiber.h"

#include <deque>
#include <memory>
#include <vector>

namespace treadle::cpu {

/// Runs one block at a time on the calling thread. As in CUDA since Volta, a barrier is complete when every thread of
/// the block that has not exited waits at a barrier, not necessarily the same one.
///
/// A fiber starts as a whole warp. When some of its lanes wait while others can continue, it splits: a copy continues
/// with the others, and the two run separately to the end. Generated code keeps each fiber's lanes in its masks.
class BlockFibers {
public:
  BlockFibers();
  BlockFibers(const BlockFibers &) = delete;
  BlockFibers &operator=(const BlockFibers &) = delete;
  ~BlockFibers();

  /// Returns when all warps have returned; a failed launch leaves through treadle_cpu_fail, and the next run cleans up.
  void run(const BlockCall &call);

  // Called by generated code on a fiber. `here`: the calling lanes; `alive`: lanes of this fiber that have not exited.
  // The result's low half: the lanes with which the caller continues.
  uint64_t barrier(uint32_t here, uint32_t alive, const BarrierCall &call);
  uint64_t gather(uint32_t here, uint32_t alive, const GatherCall &call);
  uint64_t yield(uint32_t here, uint32_t alive);

  /// Called at a safepoint on a fiber, which is suspended while the safepoint is served.
  void stopAtSafepoint();

  /// The block whose fiber the calling thread is on; null on any other stack, so that a block that is never resumed
  /// leaves no dangling pointer.
  static BlockFibers *&current();

  /// Fibers that split off so far, for tests.
  static uint64_t splits();

private:
  enum class State : uint8_t { Ready, AtBarrier, AtGather, Yielded };
  enum class Request : uint8_t { Exit, Barrier, Gather, Yield, Safepoint };
  struct Strand;
  /// A warp's lanes, spread over one or more strands.
  struct Warp {
    uint32_t linear = 0;
    uint32_t alive = 0;
    uint32_t gathered = 0; ///< lanes that wait at a gather
  };

  [[noreturn]] static void main(void *self);
  void reset();
  void start(const BlockCall &call);
  void serve(Strand &strand);
  void atSafepoint(Strand &strand);
  void remove(Strand &strand);
  void splitOff(Strand &strand, uint32_t rest);
  void finishBarrier();
  void finishGather(Warp &warp);
  void resumeYielded();
  [[noreturn]] void failStuck();
  uint64_t suspend(Request request, uint32_t here, uint32_t alive);

  BlockCall call{};
  std::vector<std::unique_ptr<Strand>> strands;
  std::vector<std::shared_ptr<FiberStack>> stacks; ///< by warp, kept from block to block
  std::vector<Warp> warps;
  std::deque<Strand *> ready;
  Strand *running = nullptr;
  uint32_t aliveThreads = 0, waitingThreads = 0, votes = 0;
  // The running fiber's request.
  Request request = Request::Exit;
  uint32_t requestHere = 0, requestAlive = 0;
  BarrierCall barrierCall{};
  GatherCall gatherCall{};
};

} // namespace treadle::cpu
