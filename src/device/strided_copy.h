// Copies between arrays of equal shape with arbitrary strides.
#pragma once

#include "device/memory_kind.h"
#include "support/export.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace treadle {

class Device;
struct CopyShape;

/// Both sides of a copy: `itemBytes` bytes per element, extents shared, strides in bytes.
struct StridedCopy {
  char *to = nullptr;
  const char *from = nullptr;
  std::span<const int64_t> shape;
  std::span<const int64_t> toStrides, fromStrides;
  int64_t itemBytes = 0;
  Location toLocation = Location::Device, fromLocation = Location::Device;
  const Device *fromDevice = nullptr; ///< whose memory is read; null: the stream's, or the host's
};

/// Called between the pieces of a copy, each of which takes some ms: whether to continue. Empty: always.
using CopyQuestion = std::function<bool()>;

/// The two sides must not overlap. False: the copy was cancelled between two pieces, and the rest of the target is
/// untouched.
TREADLE_API bool copyStrided(const StridedCopy &copy, const CopyQuestion &shouldContinue = {});
bool copyStrided(const CopyShape &shape, const CopyQuestion &shouldContinue = {});

/// A deferred copy, with its own storage for the extents.
class TREADLE_API KeptCopy {
public:
  explicit KeptCopy(const StridedCopy &copy);
  bool run(const CopyQuestion &shouldContinue) const; ///< as copyStrided

private:
  StridedCopy copy;             ///< without its extents
  std::vector<int64_t> extents; ///< the shape, then the strides of both sides
};

} // namespace treadle
