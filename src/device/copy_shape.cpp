// Sorts axes by their target stride, and merges adjacent ones.
#include "device/copy_shape.h"

#include <algorithm>
#include <cstdlib>

namespace treadle {

CopyShape::CopyShape(const StridedCopy &copy)
    : to(copy.to), from(copy.from), rowBytes(copy.itemBytes), toLocation(copy.toLocation),
      fromLocation(copy.fromLocation), fromDevice(copy.fromDevice) {
  for (size_t i = 0; i < copy.shape.size(); ++i)
    if (copy.shape[i] != 1)
      axes.push_back({copy.shape[i], copy.toStrides[i], copy.fromStrides[i]});
  std::ranges::sort(axes, std::ranges::greater(), [](const Axis &axis) { return std::abs(axis.toStride); });
  while (!axes.empty() && axes.back().toStride == rowBytes && axes.back().fromStride == rowBytes) {
    rowBytes *= axes.back().extent;
    axes.pop_back();
  }
  for (size_t i = axes.size(); i-- > 1;) {
    const Axis inner = axes[i];
    Axis &outer = axes[i - 1];
    if (outer.toStride != inner.extent * inner.toStride || outer.fromStride != inner.extent * inner.fromStride)
      continue;
    outer = {outer.extent * inner.extent, inner.toStride, inner.fromStride};
    axes.erase(axes.begin() + ptrdiff_t(i));
  }
}

int64_t CopyShape::places() const {
  int64_t count = rowBytes == 0 ? 0 : 1;
  for (const Axis &axis : axes)
    count *= axis.extent;
  return count;
}

namespace {

bool splitRow(const CopyShape &row, int64_t pieceBytes, const std::function<bool(const CopyShape &)> &visit) {
  for (int64_t done = 0; done < row.rowBytes; done += pieceBytes) {
    CopyShape piece = row;
    piece.to += done;
    piece.from += done;
    piece.rowBytes = std::min(pieceBytes, row.rowBytes - done);
    if (!visit(piece))
      return false;
  }
  return true;
}

} // namespace

bool forEachPiece(const CopyShape &shape, int64_t pieceBytes, const std::function<bool(const CopyShape &)> &visit) {
  if (shape.bytes() <= pieceBytes)
    return visit(shape);
  if (shape.axes.empty())
    return splitRow(shape, pieceBytes, visit);
  const CopyShape::Axis outer = shape.axes.front();
  const int64_t step = std::max<int64_t>(pieceBytes / (shape.bytes() / outer.extent), 1);
  for (int64_t done = 0; done < outer.extent; done += step) {
    CopyShape piece = shape;
    piece.axes.front().extent = std::min(step, outer.extent - done);
    piece.to += done * outer.toStride;
    piece.from += done * outer.fromStride;
    if (piece.axes.front().extent == 1)
      piece.axes.erase(piece.axes.begin());
    if (!forEachPiece(piece, pieceBytes, visit))
      return false;
  }
  return true;
}

} // namespace treadle
