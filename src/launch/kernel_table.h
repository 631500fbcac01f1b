// The kernel table: a lock-free hash table from the tokens of a launch's arguments to its overload.
#pragma once

#include "support/export.h"
#include "types/names/type_code.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace treadle {

class Overload;

/// Lookups take no lock and compare tokens, not only their hashes. Entries live as long as the table, as another thread
/// may be launching one.
class KernelTable {
public:
  struct Entry {
    std::vector<TypeToken> tokens;
    Overload *overload = nullptr;
    uint64_t hash = 0;
  };

  TREADLE_API KernelTable();
  TREADLE_API ~KernelTable();
  KernelTable(const KernelTable &) = delete;
  KernelTable &operator=(const KernelTable &) = delete;

  /// nullptr if these types were never launched.
  Overload *find(std::span<const TypeToken> tokens) const {
    const Entry *entry = latest.load(std::memory_order_acquire);
    if (entry && equal(*entry, tokens)) [[likely]]
      return entry->overload;
    return search(tokens);
  }
  /// A second insertion of equal tokens is ignored.
  TREADLE_API void insert(std::span<const TypeToken> tokens, Overload *overload);
  /// Removes all entries. Concurrent readers may still use them.
  TREADLE_API void clear();
  /// Frees what `clear` and growth have retired. No thread may be reading, or using an entry found before a `clear`.
  TREADLE_API void freeForgotten();

private:
  /// Open addressing; the number of slots is a power of two and at least twice that of the entries.
  struct Places {
    explicit Places(size_t size) : slots(size) {}
    std::vector<std::atomic<const Entry *>> slots;
    size_t used = 0; ///< guarded by changing
    const Entry *find(std::span<const TypeToken> tokens, uint64_t hash) const;
    void put(const Entry *entry);
  };

  static bool equal(const Entry &entry, std::span<const TypeToken> tokens);
  TREADLE_API Overload *search(std::span<const TypeToken> tokens) const;

  mutable std::atomic<const Entry *> latest{nullptr};
  std::atomic<Places *> places;
  std::mutex changing;
  std::vector<std::unique_ptr<Entry>> entries;   ///< guarded by changing
  std::vector<std::unique_ptr<Places>> versions; ///< guarded by changing; readers may still be in an old one
};

} // namespace treadle
