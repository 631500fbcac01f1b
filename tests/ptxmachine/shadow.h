// Shadow: who read and wrote the bytes of a region in this launch, to find races, and for the sets that a launch
// touched.
#pragma once

#include "knowledge.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace ptxmachine {

enum class AccessKind : uint8_t { Read, Write, Silent }; ///< Silent: a store of what is there already

/// A thread that asks: whether it knows of a past access.
using Knows = bool (*)(const void *thread, const Epoch &past);
struct Asker {
  const void *thread;
  Knows ask;
  uint32_t firstWarp, warps, round; ///< of the thread's block, and how many barriers it has passed

  /// Most accesses are those of the thread's own block before its last barrier.
  bool knows(const Epoch &past) const {
    const bool isBeforeBarrier = past.warp - firstWarp < warps && past.round < round && !past.isReadOnly;
    return isBeforeBarrier || ask(thread, past);
  }
};

class Shadow {
public:
  explicit Shadow(size_t bytes) : pages((bytes + pageBytes - 1) / pageBytes) {}

  /// Notes an access; returns a past one that conflicts with it and is not known to the thread, or null. `isPastWrite`
  /// says what that one was.
  const Epoch *access(size_t offset, size_t bytes, AccessKind kind, const Epoch &now, const Asker &asker);
  bool isPastWrite() const { return conflictWrites; }

  /// Calls `f(offset, bytes, isWritten, isRead)` for runs of equal bytes that were touched, in order.
  void forTouched(const std::function<void(size_t, size_t, bool, bool)> &f) const;

private:
  static constexpr size_t unit = 4, pageBytes = 4096;
  struct Cell {
    Epoch write, read;
    uint32_t more = 0; ///< further readers: index + 1 in `readers`, where the list may be empty
    uint32_t fine = 0; ///< cells of single bytes: index + 1 in `bytes`
  };
  struct Page {
    Cell cells[pageBytes / unit];
  };

  const Epoch *touch(Cell &cell, AccessKind kind, const Epoch &now, const Asker &asker);
  const Epoch *findReader(const Cell &cell, const Epoch &now, const Asker &asker) const;
  void addReader(Cell &cell, const Epoch &now, const Asker &asker);
  bool hasMore(const Cell &cell) const { return cell.more && !readers[cell.more - 1].empty(); }
  Cell *split(Cell &cell);

  std::vector<std::unique_ptr<Page>> pages;
  std::vector<std::vector<Epoch>> readers;
  std::vector<std::unique_ptr<Cell[]>> bytes;
  Epoch conflict;
  bool conflictWrites = false;
};

} // namespace ptxmachine
