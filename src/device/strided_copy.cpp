// Strided copies: memcpy for the longest runs that are contiguous on both sides.
#include "device/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace treadle {

namespace {

struct Axis {
  int64_t length, to, from;
};

/// The axes longer than 1, from the largest stride of the target to the smallest.
std::vector<Axis> sortedAxes(const StridedCopy &copy) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < copy.shape.size(); ++i)
    if (copy.shape[i] != 1)
      axes.push_back({copy.shape[i], copy.toStrides[i], copy.fromStrides[i]});
  std::ranges::sort(axes, [](const Axis &a, const Axis &b) { return std::abs(a.to) > std::abs(b.to); });
  return axes;
}

/// Loops that the compiler can vectorise: one run repeated, and runs at any distance. `axis` is a value, as stores
/// through `to` could change a referenced one.
template <size_t bytes> void copyRuns(char *to, const char *from, Axis axis) {
  if (axis.from == 0 && axis.to == int64_t(bytes)) {
    char run[bytes];
    std::memcpy(run, from, bytes);
    for (int64_t i = 0; i < axis.length; ++i)
      std::memcpy(to + i * int64_t(bytes), run, bytes);
  } else {
    for (int64_t i = 0; i < axis.length; ++i)
      std::memcpy(to + i * axis.to, from + i * axis.from, bytes);
  }
}

using RowLoop = void (*)(char *to, const char *from, Axis axis);

/// For runs so short that calling memcpy would cost more than the copy. Null: no loop for that length.
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

/// A copy in progress. All its functions return false if it was ended.
class PiecewiseCopy {
public:
  PiecewiseCopy(int64_t runBytes, const CopyQuestion &goesOn)
      : runBytes(runBytes), loop(rowLoop(runBytes)), goesOn(goesOn) {}

  bool copy(char *to, const char *from, std::span<const Axis> axes) {
    if (axes.empty())
      return copyRun(to, from);
    const Axis &axis = axes.front();
    if (axes.size() == 1 && loop)
      return copyRow(to, from, axis);
    for (int64_t i = 0; i < axis.length; ++i)
      if (!copy(to + i * axis.to, from + i * axis.from, axes.subspan(1)))
        return false;
    return true;
  }

private:
  /// In bytes. Each run counts as that many more, as it begins with a miss of the cache.
  static constexpr int64_t pieceWork = 16 << 20, runWork = 64;

  /// Asks unless the work is part of the same piece.
  bool begin(int64_t work) {
    if (work > left) {
      if (goesOn && !goesOn())
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
    for (int64_t done = 0; done < axis.length; done += most) {
      const int64_t runs = std::min(axis.length - done, most);
      if (!begin(runs * (runBytes + runWork)))
        return false;
      loop(to + done * axis.to, from + done * axis.from, {runs, axis.to, axis.from});
    }
    return true;
  }

  const int64_t runBytes;
  const RowLoop loop; ///< or null
  const CopyQuestion &goesOn;
  int64_t left = pieceWork;
};

} // namespace

bool copyStrided(const StridedCopy &copy, const CopyQuestion &goesOn) {
  if (std::ranges::any_of(copy.shape, [](int64_t length) { return length == 0; }))
    return true;
  std::vector<Axis> axes = sortedAxes(copy);
  int64_t run = copy.itemBytes;
  while (!axes.empty() && axes.back().to == run && axes.back().from == run) {
    run *= axes.back().length;
    axes.pop_back();
  }
  return PiecewiseCopy(run, goesOn).copy(copy.to, copy.from, axes);
}

KeptCopy::KeptCopy(const StridedCopy &given) : copy(given) {
  copy.shape = copy.toStrides = copy.fromStrides = {};
  for (const std::span<const int64_t> part : {given.shape, given.toStrides, given.fromStrides})
    extents.insert(extents.end(), part.begin(), part.end());
}

bool KeptCopy::run(const CopyQuestion &goesOn) const {
  const std::span<const int64_t> all(extents);
  const size_t axes = all.size() / 3;
  StridedCopy whole = copy;
  whole.shape = all.first(axes);
  whole.toStrides = all.subspan(axes, axes);
  whole.fromStrides = all.last(axes);
  return copyStrided(whole, goesOn);
}

} // namespace treadle
