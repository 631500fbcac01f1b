// A thread's memory for generated code: a block's shared memory, and values that live across barriers.
#pragma once

#include "border/kernel_abi.h"
#include "device/cpu/threads/kernel_heap.h"
#include "support/big_stack.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace treadle::cpu {

class BlockFibers;

/// Text of one block.
struct PrintedText {
  uint64_t block;
  std::string text;
};

/// The memory that a kernel needs to run a block.
struct BlockNeeds {
  size_t sharedBytes = 0, contextBytes = 0, stackBytes = 0;
};

/// One thread's arena. Grows to the needs of the largest block it ever ran and never shrinks, so that a warm launch
/// allocates nothing.
class WorkerMemory {
public:
  WorkerMemory() = default; ///< for the calling thread
  WorkerMemory(const WorkerMemory &) = delete;
  WorkerMemory &operator=(const WorkerMemory &) = delete;
  ~WorkerMemory();

  /// The stack that the calling thread is running on if that has `bytes` left; null otherwise. The thread's own stack
  /// is cached, as launches are short.
  const StackExtent *stackWith(size_t bytes) const {
    if (threadStack.hasLeft(bytes)) [[likely]]
      return &threadStack;
    const StackExtent &current = currentStack();
    return current.hasLeft(bytes) ? &current : nullptr;
  }

  /// For code that runs on the stack with this lowest address. Valid until the next call. Throws std::bad_alloc.
  WorkerArena *lend(const BlockNeeds &needs, char *stackBase) {
    if (needs.sharedBytes > sharedCapacity || needs.contextBytes > contextCapacity) [[unlikely]]
      grow(needs);
    arena.stackBytes = needs.stackBytes;
    arena.useStack(stackBase); // a launch that failed on a fiber has left the fiber's
    return &arena;
  }

  /// For kernels that need it; made on the first call. Throws std::bad_alloc.
  BlockFibers &blockFibers();

  /// The text printed by the blocks that ran since the last call.
  std::vector<PrintedText> takePrinted() { return std::exchange(printed, {}); }
  void print(const PrintCall &call);

  KernelHeap heap;

  /// The arena of the calling thread.
  static WorkerMemory &ofThisThread();

private:
  void grow(const BlockNeeds &needs);

  const StackExtent threadStack = treadle::threadStack();
  WorkerArena arena{};
  std::vector<PrintedText> printed;
  std::unique_ptr<BlockFibers> fibers;
  size_t sharedCapacity = 0;
  size_t contextCapacity = 0;
};

} // namespace treadle::cpu
