// Memory pools: who may use their memory, and what they count.
#pragma once

#include "driver.h"

#include <algorithm>

namespace fakecuda {

/// Only counts: each allocation has addresses of its own, whatever pool it is from.
struct Pool : Object {
  Pool() : Object(Kind::Pool) {}

  int device = 0;
  bool isDefault = false;
  uint64_t maxBytes = 0;  ///< 0: those of the device
  uint64_t threshold = 0; ///< bytes kept for later allocations when something waits
  uint64_t reserved = 0, reservedHigh = 0, used = 0, usedHigh = 0;
  std::set<int> openTo;           ///< other devices whose kernels may use the memory
  int switches[4] = {0, 1, 1, 1}; ///< by attribute: which kinds of reuse are allowed

  bool hasRoom(uint64_t bytes) const { return !maxBytes || (bytes <= maxBytes && used <= maxBytes - bytes); }
  bool isOpenTo(int other) const { return other == device || openTo.contains(other); }
  void take(uint64_t bytes) {
    used += bytes;
    usedHigh = std::max(usedHigh, used);
    reserved = std::max(reserved, used);
    reservedHigh = std::max(reservedHigh, reserved);
  }
  void give(uint64_t bytes) { used -= bytes; }
  void trim(uint64_t bytes) { reserved = std::max(used, std::min(reserved, bytes)); }
};

struct PoolPlace {
  std::shared_ptr<Pool> pool;
  std::shared_ptr<Stream> stream;
};

} // namespace fakecuda
