// Copies between arrays of equal shape and any strides.
#pragma once

#include "device/memory_kind.h"
#include "support/export.h"

#include <cstdint>
#include <span>

namespace treadle {

/// Both sides of a copy: `itemBytes` bytes per element, extents shared, strides in bytes.
struct StridedCopy {
  char *to = nullptr;
  const char *from = nullptr;
  std::span<const int64_t> shape;
  std::span<const int64_t> toStrides, fromStrides;
  int64_t itemBytes = 0;
  Place toPlace = Place::Device, fromPlace = Place::Device;
};

/// The two sides must not overlap.
TREADLE_API void copyStrided(const StridedCopy &copy);

} // namespace treadle
