// Allocates and grows worker arenas.
#include "device/cpu/threads/worker_memory.h"

#include "device/cpu/threads/block_fibers.h"

#include <new>
#include <pthread.h>

namespace treadle::cpu {

namespace {

constexpr std::align_val_t alignment{128};
/// Most kernels need less than this; growing in such steps keeps the number of allocations small.
constexpr size_t step = 16 << 10;

/// Makes room for `bytes`, discarding the old contents.
void growTo(char *&memory, size_t &capacity, size_t bytes) {
  if (bytes <= capacity)
    return;
  const size_t rounded = (bytes + step - 1) / step * step;
  char *grown = static_cast<char *>(::operator new(rounded, alignment));
  ::operator delete(memory, alignment);
  memory = grown;
  capacity = rounded;
}

} // namespace

WorkerMemory::~WorkerMemory() {
  ::operator delete(arena.shared, alignment);
  ::operator delete(arena.context, alignment);
}

void WorkerMemory::grow(const BlockNeeds &needs) {
  growTo(arena.shared, sharedCapacity, needs.sharedBytes);
  growTo(arena.context, contextCapacity, needs.contextBytes);
}

BlockFibers &WorkerMemory::blockFibers() {
  if (!fibers)
    fibers = std::make_unique<BlockFibers>();
  return *fibers;
}

WorkerMemory &WorkerMemory::ofThisThread() {
  static thread_local WorkerMemory *memory = nullptr;
  if (memory) [[likely]]
    return *memory;
  // Freed with a pthread key when the thread ends: a thread_local object's destructor could run before the last launch.
  static const pthread_key_t key = [] {
    pthread_key_t made;
    if (pthread_key_create(&made, [](void *dying) { delete static_cast<WorkerMemory *>(dying); }) != 0)
      throw std::bad_alloc();
    return made;
  }();
  memory = new WorkerMemory;
  pthread_setspecific(key, memory);
  return *memory;
}

} // namespace treadle::cpu
