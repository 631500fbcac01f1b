// Arrays of sizes known only at run time: the worker's memory, keyed by where a warp makes them.
#include "device/cpu/threads/kernel_heap.h"

#include "device/cpu/threads/machine_memory.h"
#include "device/cpu/threads/worker_memory.h"

#include <new>

extern "C" [[noreturn]] void treadle_cpu_fail(const treadle::cpu::FailureCall *call);

namespace treadle::cpu {

/// Up to this much is allocated without checking the available memory.
constexpr uint64_t unquestioned = uint64_t(64) << 20;

void KernelHeap::begin(bool keeps) {
  keepsBlocks = keeps;
  limit = unquestioned;
}

void KernelHeap::clear() {
  arrays.clear();
  used = 0;
}

/// The system overcommits memory, and kills the process when it is used.
void KernelHeap::grow(Memory &memory, uint64_t bytes) {
  used -= memory.capacity;
  memory = {}; // freed first, so that both do not exist at the same time
  if (bytes > limit || used > limit - bytes)
    limit = std::max<uint64_t>(limit, used + machineMemory());
  if (bytes > limit || used > limit - bytes)
    throw std::bad_alloc();
  memory = {std::unique_ptr<char[]>(new char[bytes]), bytes};
  used += bytes;
}

void KernelHeap::allocate(const HeapCall &call) {
  std::array<Memory, 32> &lanes = arrays[{keepsBlocks ? call.block : 0, call.warp, call.place}];
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(call.lanes >> lane & 1))
      continue;
    if (call.bytes[lane] > lanes[lane].capacity)
      grow(lanes[lane], call.bytes[lane]);
    call.addresses[lane] = lanes[lane].bytes.get();
  }
}

} // namespace treadle::cpu

extern "C" void treadle_cpu_allocate(const treadle::cpu::HeapCall *call) {
  using namespace treadle::cpu;
  try {
    return WorkerMemory::ofThisThread().heap.allocate(*call);
  } catch (const std::bad_alloc &) {
    // Reported below: a longjmp out of here would leak the exception.
  }
  treadle_cpu_fail(call->failure);
}
