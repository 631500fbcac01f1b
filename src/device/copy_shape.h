// CopyShape: a strided copy reduced to as few axes as describe it.
#pragma once

#include "device/strided_copy.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace treadle {

/// Axes of extent 1 are gone; axes that continue each other on both sides are one. From the largest stride of the
/// target to the smallest. At each place, `rowBytes` bytes lie together on both sides.
struct CopyShape {
  struct Axis {
    int64_t extent, toStride, fromStride; ///< strides in bytes
  };
  CopyShape() = default;
  explicit CopyShape(const StridedCopy &copy);

  /// How many rows there are; 0: nothing is to be copied.
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

/// Splits a copy into pieces of at most about so many bytes. False: `visit` gave false, after which no more pieces
/// come.
bool forEachPiece(const CopyShape &shape, int64_t pieceBytes, const std::function<bool(const CopyShape &)> &visit);

} // namespace treadle
