// DiskStore: an on-disk LRU cache, shared between processes.
#pragma once

#include "support/export.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace treadle {

/// Any number of processes may share a folder, and files may be removed from it at any time. Entries are written
/// atomically and repeat their key: a file that is not what was written under its key is removed, and counts as a miss.
/// A failed write is not an error; the entry is just not stored.
///
/// Entries are code that is run: a folder owned by, or writable by, another user is not used (isTrusted).
class TREADLE_API DiskStore {
public:
  struct Place {
    std::string folder;  ///< created with the first entry; empty: the cache is disabled
    uint64_t limitBytes; ///< total size of the entries; 0: the cache is disabled
  };
  explicit DiskStore(Place place);
  DiskStore(const DiskStore &) = delete;
  DiskStore &operator=(const DiskStore &) = delete;
  ~DiskStore();

  bool isUsed() const { return !place.folder.empty() && place.limitBytes != 0; }
  std::optional<std::string> find(std::string_view key);
  /// Evicts the least recently used entries to stay within the limit.
  void put(std::string_view key, std::string_view value) noexcept;
  /// The same with the result of `make`, in the background (support/background): the caller does not wait for the disk.
  /// `make` owns what it uses; an empty result is not stored. It may use the store, and sees all earlier puts
  /// completed. Lookups of the key and `content` wait until it is written.
  void putLater(std::string key, std::function<std::string()> make) noexcept;
  /// Waits until all pending writes are done.
  void finish() const;
  void remove(std::string_view key) noexcept;

  /// Of this process.
  struct Counts {
    uint64_t found = 0, missed = 0, written = 0;
    uint64_t refused = 0; ///< entries that were damaged, or owned by another user
    uint64_t failed = 0;  ///< entries that could not be written
  };
  Counts counts() const;
  struct Content {
    uint64_t entries = 0, bytes = 0;
    std::string trouble; ///< why the folder, or part of its content, is not used; else empty
  };
  /// Scans the whole folder.
  Content content() const;

  const Place place;

private:
  std::optional<std::string> read(int file, std::string_view key);
  bool write(int folder, std::string_view key, std::string_view value);
  void trim(int folder);

  std::atomic<uint64_t> found{0}, missed{0}, written{0}, refused{0}, failed{0};
  std::atomic<uint64_t> unlooked{~uint64_t(0)}; ///< bytes written since `trim`
};

/// The folder for one kind of entries, and its `limitBytes`, according to the settings.
TREADLE_API DiskStore::Place codeCachePlace(std::string_view kind);

} // namespace treadle
