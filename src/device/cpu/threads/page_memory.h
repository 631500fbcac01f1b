// PageMemory: the CPU device's allocator, whose memory can be shared with other processes.
#pragma once

#include "device/device.h"
#include "support/fork_gate.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <span>

namespace treadle::cpu {

/// Every allocation has its own pages: to share it, its pages are replaced by those of a memfd, at the same address and
/// with the same contents. So sharing costs nothing until it is requested, while memory that is shared from the
/// beginning would be shared with the children of forks, too.
class PageMemory {
public:
  PageMemory();
  PageMemory(const PageMemory &) = delete;
  PageMemory &operator=(const PageMemory &) = delete;

  /// Aligned to 256 bytes; null: out of memory.
  char *allocate(size_t bytes);
  void release(char *memory) noexcept;
  /// The allocation that the address lies in; empty: none.
  std::span<char> around(char *memory) const;

  // As the functions of Device.
  SharedHandle share(char *memory);
  char *open(const SharedHandle &handle, size_t bytes);
  void close(char *memory);

private:
  struct Block {
    size_t bytes = 0; ///< from the returned address
    char *pages = nullptr;
    size_t pageBytes = 0;
    int file = -1; ///< the memfd that shares the pages
  };
  using Blocks = std::map<char *, Block>;
  Blocks::const_iterator find(char *memory) const;
  static int moveToFile(const Block &block);

  mutable std::mutex mutex;
  Blocks blocks;                            ///< by their returned addresses; guarded by mutex, as the next two
  std::map<char *, std::span<char>> opened; ///< from other processes: allocations, and the pages mapped for each
  size_t colour = 0;
  const AtForks atForks;
};

} // namespace treadle::cpu
