// DiskStore: what programs keep in a folder for those that come after them, found by keys.
#pragma once

#include "support/export.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace treadle {

/// Any number of processes may use one folder, and anybody may remove files from it at any time. An entry is a file
/// that appears whole or not at all, and repeats its key: one that is not what was written under that key is removed,
/// and not found. What cannot be written is not kept, and no error.
///
/// Entries are code that is run: a folder of another user, or into which others can write, is not used.
class TREADLE_API DiskStore {
public:
  struct Place {
    std::string folder;  ///< made with the first entry; empty: nothing is kept
    uint64_t limitBytes; ///< of all entries; 0: nothing is kept
  };
  explicit DiskStore(Place place) : place(std::move(place)) {}

  bool isUsed() const { return !place.folder.empty() && place.limitBytes != 0; }
  std::optional<std::string> find(std::string_view key);
  /// With it, the entries whose last use is longest ago may go, so that the limit is kept.
  void put(std::string_view key, std::string_view value) noexcept;
  void remove(std::string_view key) noexcept;

  /// Of this process.
  struct Counts {
    uint64_t found = 0, missed = 0, written = 0;
    uint64_t refused = 0; ///< entries that were damaged, or another user's
    uint64_t failed = 0;  ///< entries that could not be written
  };
  Counts counts() const;
  struct Content {
    uint64_t entries = 0, bytes = 0;
    std::string trouble; ///< why the folder is not used, else empty
  };
  /// Looks at the whole folder.
  Content content() const;

  const Place place;

private:
  std::optional<std::string> read(int file, std::string_view key);
  bool write(int folder, std::string_view key, std::string_view value);
  void trim(int folder);

  std::atomic<uint64_t> found{0}, missed{0}, written{0}, refused{0}, failed{0};
  std::atomic<uint64_t> unlooked{~uint64_t(0)}; ///< bytes written since `trim`
};

/// A folder for one kind of entries, where the settings have them; its `limitBytes` too.
TREADLE_API DiskStore::Place codeCachePlace(std::string_view kind);

} // namespace treadle
