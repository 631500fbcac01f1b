// Strided copies: memcpy of the longest runs that are contiguous on both sides.
#include "device/copy_shape.h"

#include <algorithm>
#include <cstring>

namespace treadle {

namespace {

using Axis = CopyShape::Axis;

/// Loops that the compiler can vectorise: one run repeated, and runs at any distance. `axis` is passed by value, as
/// stores through `to` could alias a reference.
template <size_t bytes> void copyRuns(char *to, const char *from, Axis axis) {
  if (axis.fromStride == 0 && axis.toStride == int64_t(bytes)) {
    char run[bytes];
    std::memcpy(run, from, bytes);
    for (int64_t i = 0; i < axis.extent; ++i)
      std::memcpy(to + i * int64_t(bytes), run, bytes);
  } else {
    for (int64_t i = 0; i < axis.extent; ++i)
      std::memcpy(to + i * axis.toStride, from + i * axis.fromStride, bytes);
  }
}

using RowLoop = void (*)(char *to, const char *from, Axis axis);

/// For runs so short that a call of memcpy would cost more than the copy. Null: no loop for that length.
RowLoop rowLoop(int64_t runBytes) {
  switch (runBytes) {
  case 1:
    return copyRuns<1>;
  case 2:
    return copyRuns<2>;
  case 4:
    return copyRuns<4>;
  case 8:
    return copyRuns<8>;
  case 16:
    return copyRuns<16>;
  default:
    return nullptr;
  }
}

/// A copy in progress. All its functions return false if it was cancelled.
class PiecewiseCopy {
public:
  PiecewiseCopy(int64_t runBytes, const CopyQuestion &shouldContinue)
      : runBytes(runBytes), loop(rowLoop(runBytes)), shouldContinue(shouldContinue) {}

  bool copy(char *to, const char *from, std::span<const Axis> axes) {
    if (axes.empty())
      return copyRun(to, from);
    const Axis &axis = axes.front();
    if (axes.size() == 1 && loop)
      return copyRow(to, from, axis);
    for (int64_t i = 0; i < axis.extent; ++i)
      if (!copy(to + i * axis.toStride, from + i * axis.fromStride, axes.subspan(1)))
        return false;
    return true;
  }

private:
  /// In bytes. Each run counts as that many more, as it begins with a cache miss.
  static constexpr int64_t pieceWork = 16 << 20, runWork = 64;

  /// Polls, unless the work is part of the same piece.
  bool begin(int64_t work) {
    if (work > left) {
      if (shouldContinue && !shouldContinue())
        return false;
      left = pieceWork;
    }
    left -= work;
    return true;
  }

  bool copyRun(char *to, const char *from) {
    constexpr int64_t most = pieceWork - runWork;
    for (int64_t done = 0; done < runBytes; done += most) {
      const int64_t bytes = std::min(runBytes - done, most);
      if (!begin(bytes + runWork))
        return false;
      std::memcpy(to + done, from + done, size_t(bytes));
    }
    return true;
  }

  bool copyRow(char *to, const char *from, const Axis &axis) {
    const int64_t most = pieceWork / (runBytes + runWork);
    for (int64_t done = 0; done < axis.extent; done += most) {
      const int64_t runs = std::min(axis.extent - done, most);
      if (!begin(runs * (runBytes + runWork)))
        return false;
      loop(to + done * axis.toStride, from + done * axis.fromStride, {runs, axis.toStride, axis.fromStride});
    }
    return true;
  }

  const int64_t runBytes;
  const RowLoop loop; ///< or null
  const CopyQuestion &shouldContinue;
  int64_t left = pieceWork;
};

} // namespace

bool copyStrided(const StridedCopy &copy, const CopyQuestion &shouldContinue) {
  if (std::ranges::any_of(copy.shape, [](int64_t length) { return length == 0; }))
    return true;
  return copyStrided(CopyShape(copy), shouldContinue);
}

bool copyStrided(const CopyShape &shape, const CopyQuestion &shouldContinue) {
  return PiecewiseCopy(shape.rowBytes, shouldContinue).copy(shape.to, shape.from, shape.axes);
}

KeptCopy::KeptCopy(const StridedCopy &given) : copy(given) {
  copy.shape = copy.toStrides = copy.fromStrides = {};
  for (const std::span<const int64_t> part : {given.shape, given.toStrides, given.fromStrides})
    extents.insert(extents.end(), part.begin(), part.end());
}

bool KeptCopy::run(const CopyQuestion &shouldContinue) const {
  const std::span<const int64_t> all(extents);
  const size_t axes = all.size() / 3;
  StridedCopy whole = copy;
  whole.shape = all.first(axes);
  whole.toStrides = all.subspan(axes, axes);
  whole.fromStrides = all.last(axes);
  return copyStrided(whole, shouldContinue);
}

} // namespace treadle
