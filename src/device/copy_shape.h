// CopyShape: a strided copy reduced to the fewest axes.
#pragma once

#include "device/strided_copy.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace treadle {

/// Axes of extent 1 are dropped; axes that are contiguous with each other on both sides are merged. In order of falling
/// target stride. At each place, `rowBytes` bytes are contiguous on both sides.
struct CopyShape {
  struct Axis {
    int64_t extent, toStride, fromStride; ///< strides in bytes
  };
  CopyShape() = default;
  explicit CopyShape(const StridedCopy &copy);

  /// The number of rows; 0: there is nothing to copy.
  int64_t places() const;
  int64_t bytes() const { return places() * rowBytes; }

  char *to = nullptr;
  const char *from = nullptr;
  int64_t rowBytes = 0;
  std::vector<Axis> axes;
  Location toLocation = Location::Device, fromLocation = Location::Device;
  const Device *fromDevice = nullptr; ///< of StridedCopy
};

/// Calls `visit(to, from)` for each place of the axes.
template <typename Visit>
void forEachPlace(std::span<const CopyShape::Axis> axes, char *to, const char *from, Visit visit) {
  if (axes.empty())
    return visit(to, from);
  const CopyShape::Axis &axis = axes.front();
  for (int64_t i = 0; i < axis.extent; ++i)
    forEachPlace(axes.subspan(1), to + i * axis.toStride, from + i * axis.fromStride, visit);
}

/// Splits a copy into pieces of about `pieceBytes` at most. False: `visit` returned false, which stops the iteration.
bool forEachPiece(const CopyShape &shape, int64_t pieceBytes, const std::function<bool(const CopyShape &)> &visit);

} // namespace treadle
