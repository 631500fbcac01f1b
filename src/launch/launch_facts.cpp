// Facts of launches: block class, ranges, overlap, alignment, short rows.
#include "launch/launch_facts.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace treadle {

namespace {

constexpr int64_t int32Max = std::numeric_limits<int32_t>::max();
/// The most arrays that are compared with each other; if there are more, they count as overlapping.
constexpr unsigned comparedArrays = 64;

/// The bytes an array's elements lie in, [low, high).
struct Extent {
  uintptr_t low, high;

  bool isApartFrom(const Extent &other) const { return (high <= other.low) | (other.high <= low); }
};

/// The facts about one array.
struct ArrayFacts {
  Extent extent;
  bool isEmpty = false;
  bool fitsInt32 = true;
  bool overlapsItself = false;
};

/// Whether no two elements overlap: by rising stride, each step is beyond the extent of the axes before it. Errs on the
/// side of overlap.
bool stridesAreDisjoint(const ArgumentLeaf &array, int64_t itemBytes) {
  struct Step {
    int64_t stride, count;
  } steps[maxDimensions];
  unsigned used = 0;
  for (unsigned axis = 0; axis < array.ndim; ++axis)
    if (array.shape[axis] > 1)
      steps[used++] = {std::abs(array.strides[axis]), array.shape[axis]};
  std::sort(steps, steps + used, [](const Step &a, const Step &b) { return a.stride < b.stride; });
  int64_t covered = itemBytes;
  for (unsigned i = 0; i < used; ++i) {
    if (steps[i].stride < covered)
      return false;
    covered += steps[i].stride * (steps[i].count - 1);
  }
  return true;
}

ArrayFacts examine(const ArgumentLeaf &array) {
  ArrayFacts facts{};
  const uintptr_t data = reinterpret_cast<uintptr_t>(array.data);
  const int64_t itemBytes = array.itemBytes;
  int64_t elements = 1;
  bool extentsFit = true;
  for (unsigned axis = 0; axis < array.ndim; ++axis) {
    elements *= array.shape[axis];
    extentsFit &= array.shape[axis] <= int32Max;
  }
  facts.isEmpty = elements == 0;
  if (array.layout != Layout::Any) [[likely]] {
    // The strides of contiguous arrays may be anything on axes of length 1, so the number of elements decides.
    facts.fitsInt32 = extentsFit && elements <= int32Max;
    facts.extent = {data, data + uintptr_t(elements * itemBytes)};
    return facts;
  }
  int64_t below = 0, above = itemBytes;
  for (unsigned axis = 0; axis < array.ndim; ++axis) {
    const int64_t span = array.strides[axis] * (array.shape[axis] - 1);
    below += std::min<int64_t>(span, 0);
    above += std::max<int64_t>(span, 0);
  }
  facts.fitsInt32 = extentsFit && above - below <= int32Max;
  facts.extent = {data + uintptr_t(below), data + uintptr_t(above)};
  facts.overlapsItself = !stridesAreDisjoint(array, itemBytes);
  return facts;
}

uint8_t blockClassOf(const uint32_t (&block)[3]) {
  if (block[0] % 32 == 0 || (block[1] == 1 && block[2] == 1))
    return 32;
  for (const uint8_t length : {16, 8, 4})
    if (block[0] == length && (block[2] == 1 || length * block[1] % 32 == 0))
      return length;
  return 1;
}

} // namespace

Facts factsOf(const LaunchConfig &config) {
  Facts facts;
  facts.gridFitsInt32 = true;
  for (unsigned axis = 0; axis < 3; ++axis)
    facts.gridFitsInt32 &= int64_t(config.grid[axis]) * largestBlock <= int32Max;
  facts.blockClass = blockClassOf(config.block);
  facts.fullWarps = config.threadsPerBlock() % 32 == 0;
  return facts;
}

Facts factsOf(const Facts &configFacts, std::span<const ArgumentLeaf> leaves) {
  Facts facts = configFacts;
  Extent extents[comparedArrays];
  Extent all{std::numeric_limits<uintptr_t>::max(), 0};
  unsigned arrays = 0;
  bool fits = true, disjoint = true;
  uintptr_t addresses = 0;
  for (const ArgumentLeaf &leaf : leaves) {
    if (leaf.kind != ArgumentLeaf::Kind::Array)
      continue;
    const ArrayFacts array = examine(leaf);
    fits &= array.fitsInt32;
    if (array.isEmpty)
      continue;
    addresses |= reinterpret_cast<uintptr_t>(leaf.data);
    disjoint &= !array.overlapsItself && arrays < comparedArrays;
    if (!disjoint)
      continue;
    // Mostly it lies beside all of them: memory is handed out in rising order.
    if (!array.extent.isApartFrom(all))
      for (unsigned i = 0; i < arrays; ++i)
        disjoint &= array.extent.isApartFrom(extents[i]);
    all = {std::min(all.low, array.extent.low), std::max(all.high, array.extent.high)};
    extents[arrays++] = array.extent;
  }
  facts.offsetsFitInt32 = fits;
  facts.noOverlap = disjoint;
  facts.aligned16 = addresses % 16 == 0;
  return facts;
}

uint64_t rowsOf(std::span<const ArgumentLeaf> leaves, const RowArrays &arrays) {
  Facts facts;
  for (unsigned i = 0; i < arrays.positions.size(); ++i) {
    const ArgumentLeaf &leaf = leaves[arrays.positions[i]];
    facts.setRow(i, 0, leaf.shape[leaf.ndim - 1]);
    facts.setRow(i, 1, leaf.shape[leaf.ndim - 2]);
  }
  return facts.rows & arrays.useful;
}

Facts likelyFacts() {
  Facts facts;
  facts.offsetsFitInt32 = facts.gridFitsInt32 = facts.noOverlap = facts.aligned16 = facts.fullWarps = true;
  facts.blockClass = 32;
  return facts;
}

} // namespace treadle
