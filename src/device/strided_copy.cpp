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

/// Runs so short that calling memcpy would cost more than the copy. False: no loop for that length.
template <size_t... bytes> bool copyShortRuns(char *to, const char *from, const Axis &axis, size_t runBytes) {
  return ((runBytes == bytes && (copyRuns<bytes>(to, from, axis), true)) || ...);
}

void copyAxes(char *to, const char *from, std::span<const Axis> axes, size_t runBytes) {
  if (axes.empty()) {
    std::memcpy(to, from, runBytes);
    return;
  }
  const Axis &axis = axes.front();
  if (axes.size() == 1 && copyShortRuns<1, 2, 4, 8, 16>(to, from, axis, runBytes))
    return;
  for (int64_t i = 0; i < axis.length; ++i)
    copyAxes(to + i * axis.to, from + i * axis.from, axes.subspan(1), runBytes);
}

} // namespace

void copyStrided(const StridedCopy &copy) {
  if (std::ranges::any_of(copy.shape, [](int64_t length) { return length == 0; }))
    return;
  std::vector<Axis> axes = sortedAxes(copy);
  int64_t run = copy.itemBytes;
  while (!axes.empty() && axes.back().to == run && axes.back().from == run) {
    run *= axes.back().length;
    axes.pop_back();
  }
  copyAxes(copy.to, copy.from, axes, size_t(run));
}

KeptCopy::KeptCopy(const StridedCopy &given) : copy(given) {
  copy.shape = copy.toStrides = copy.fromStrides = {};
  for (const std::span<const int64_t> part : {given.shape, given.toStrides, given.fromStrides})
    extents.insert(extents.end(), part.begin(), part.end());
}

void KeptCopy::run() const {
  const std::span<const int64_t> all(extents);
  const size_t axes = all.size() / 3;
  StridedCopy whole = copy;
  whole.shape = all.first(axes);
  whole.toStrides = all.subspan(axes, axes);
  whole.fromStrides = all.last(axes);
  copyStrided(whole);
}

} // namespace treadle
