// PageMemory: what the CPU device allocates, and shares with other processes.
#pragma once

#include "device/device.h"
#include "support/fork_gate.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <span>

namespace treadle::cpu {

/// Every allocation has its pages for itself: so that other processes can see it, its pages are replaced by those of a
/// file in memory, at the same address and with the same contents. Such a file costs nothing as long as nobody asks for
/// it, while memory that is shared from the beginning would be shared with the children of forks, too.
class PageMemory {
public:
  PageMemory();
  PageMemory(const PageMemory &) = delete;
  PageMemory &operator=(const PageMemory &) = delete;

  /// Aligned to 256 bytes; null: there is none.
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
    size_t bytes = 0; ///< from the address that was handed out
    char *pages = nullptr;
    size_t pageBytes = 0;
    int file = -1; ///< that the pages are shared by
  };
  using Blocks = std::map<char *, Block>;
  Blocks::const_iterator find(char *memory) const;
  static int moveToFile(const Block &block);

  mutable std::mutex mutex;
  Blocks blocks;                   ///< by the addresses that were handed out; guarded by mutex, as the next two
  std::map<char *, size_t> opened; ///< of other processes: pages and their bytes
  size_t colour = 0;
  const AtForks atForks;
};

} // namespace treadle::cpu
