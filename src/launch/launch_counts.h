// LaunchCounts: how often a kernel was launched with each configuration.
#pragma once

#include "device/launch_config.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace treadle {

/// Guarded by the host's lock. Counting is one addition: a launcher keeps the address of its number.
class LaunchCounts {
public:
  struct Entry {
    LaunchConfig config;
    uint64_t count = 0;
  };
  /// Of so many configurations; all others are counted together.
  static constexpr size_t mostConfigs = 64;

  /// As long as this lives.
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
  std::deque<Entry> entries; ///< never fewer, so that addresses stay
  uint64_t others = 0;
};

} // namespace treadle
