// Strided copies: the longest runs that are contiguous on both sides go by memcpy.
#include "device/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace treadle {

namespace {

struct Axis {
  int64_t length, to, from;
};

/// Axes without those of length 1, the ones nearest in memory last.
std::vector<Axis> sortedAxes(const StridedCopy &copy) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < copy.shape.size(); ++i)
    if (copy.shape[i] != 1)
      axes.push_back({copy.shape[i], copy.toStrides[i], copy.fromStrides[i]});
  std::ranges::sort(axes, [](const Axis &a, const Axis &b) { return std::abs(a.to) > std::abs(b.to); });
  return axes;
}

void copyAxes(char *to, const char *from, std::span<const Axis> axes, size_t runBytes) {
  if (axes.empty()) {
    std::memcpy(to, from, runBytes);
    return;
  }
  const Axis &axis = axes.front();
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

} // namespace treadle
