// The memory that a thread lends to generated code: shared memory of a block and values that live across barriers.
#pragma once

#include "device/cpu/kernel_abi.h"

#include <cstddef>

namespace treadle::cpu {

/// One thread's arena. Grows to the largest block it ever ran and keeps that: a warm launch allocates nothing.
class WorkerMemory {
public:
  WorkerMemory() = default;
  WorkerMemory(const WorkerMemory &) = delete;
  WorkerMemory &operator=(const WorkerMemory &) = delete;
  ~WorkerMemory();

  /// Valid until the next call. Throws std::bad_alloc.
  WorkerArena *lend(size_t sharedBytes, size_t contextBytes) {
    if (sharedBytes > sharedCapacity || contextBytes > contextCapacity) [[unlikely]]
      grow(sharedBytes, contextBytes);
    return &arena;
  }

  /// The arena of the calling thread.
  static WorkerMemory &ofThisThread();

private:
  void grow(size_t sharedBytes, size_t contextBytes);

  WorkerArena arena{};
  size_t sharedCapacity = 0;
  size_t contextCapacity = 0;
};

} // namespace treadle::cpu
