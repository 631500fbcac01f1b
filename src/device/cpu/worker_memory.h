// The memory that a thread lends to generated code: shared memory of a block and values that live across barriers.
#pragma once

#include "device/cpu/kernel_abi.h"

#include <cstddef>
#include <memory>

namespace treadle::cpu {

class BlockFibers;

/// One thread's arena. Grows to the largest block it ever ran and keeps that: a warm launch allocates nothing.
class WorkerMemory {
public:
  WorkerMemory();
  WorkerMemory(const WorkerMemory &) = delete;
  WorkerMemory &operator=(const WorkerMemory &) = delete;
  ~WorkerMemory();

  /// Valid until the next call. Throws std::bad_alloc.
  WorkerArena *lend(size_t sharedBytes, size_t contextBytes) {
    if (sharedBytes > sharedCapacity || contextBytes > contextCapacity) [[unlikely]]
      grow(sharedBytes, contextBytes);
    return &arena;
  }

  /// For kernels that need it; made at the first call. Throws std::bad_alloc.
  BlockFibers &blockFibers();

  /// The arena of the calling thread.
  static WorkerMemory &ofThisThread();

private:
  void grow(size_t sharedBytes, size_t contextBytes);

  WorkerArena arena{};
  std::unique_ptr<BlockFibers> fibers;
  size_t sharedCapacity = 0;
  size_t contextCapacity = 0;
};

} // namespace treadle::cpu
