// KernelHeap: the arrays of sizes known only at run time that threads of running blocks have made.
#pragma once

#include "border/kernel_abi.h"

#include <array>
#include <map>
#include <memory>

namespace treadle::cpu {

/// One worker's heap.
class KernelHeap {
public:
  /// Throws std::bad_alloc.
  void allocate(const HeapCall &call);
  /// `keeps`: blocks take turns, so none of them is finished before all are. Otherwise each block reuses the memory of
  /// the one before it.
  void begin(bool keeps);
  void clear();

private:
  struct Memory {
    std::unique_ptr<char[]> bytes;
    uint64_t capacity = 0;
  };
  struct Key {
    uint64_t block, warp, place;
    auto operator<=>(const Key &) const = default;
  };
  void grow(Memory &memory, uint64_t bytes);

  std::map<Key, std::array<Memory, 32>> arrays;
  uint64_t used = 0, limit = 0;
  bool keepsBlocks = false;
};

} // namespace treadle::cpu
