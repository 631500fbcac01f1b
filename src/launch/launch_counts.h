// LaunchCounts: launch counters per configuration.
#pragma once

#include "device/launch_config.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace treadle {

/// Guarded by the host's lock. Counting is one addition: a launcher caches its counter's address.
class LaunchCounts {
public:
  struct Entry {
    LaunchConfig config;
    uint64_t count = 0;
  };
  /// How many configurations have their own counter; the rest share one.
  static constexpr size_t mostConfigs = 64;

  /// Valid as long as this object.
  uint64_t &of(const LaunchConfig &config) {
    for (Entry &entry : entries)
      if (entry.config == config)
        return entry.count;
    if (entries.size() == mostConfigs)
      return others;
    entries.push_back({config});
    return entries.back().count;
  }
  const std::deque<Entry> &all() const { return entries; }
  uint64_t ofOthers() const { return others; }

private:
  std::deque<Entry> entries; ///< only grows, so that addresses are stable
  uint64_t others = 0;
};

} // namespace treadle
