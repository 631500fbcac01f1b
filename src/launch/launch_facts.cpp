// Facts of launches: block class, ranges, overlap, alignment, short rows.
#include "launch/launch_facts.h"

#include "types/wanted_facts.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace treadle {

namespace {

constexpr int64_t int32Max = std::numeric_limits<int32_t>::max();
/// The most arrays that are compared pairwise; beyond that they count as overlapping.
constexpr unsigned comparedArrays = 64;

/// The byte range of an array's elements, [low, high).
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

/// Whether no two elements overlap: in order of stride, each stride exceeds the extent of the axes before it.
/// Conservative: may report overlap.
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

uint8_t blockClassOf(const uint32_t (&block)[3], unsigned laneAxis) {
  Facts along;
  along.laneAxis = uint8_t(laneAxis);
  const uint32_t x = block[along.inGeometry(0)], y = block[along.inGeometry(1)], z = block[along.inGeometry(2)];
  if (x % 32 == 0 || (y == 1 && z == 1))
    return 32;
  for (const uint8_t length : {16, 8, 4})
    if (x == length && (z == 1 || length * y % 32 == 0))
      return length;
  return 1;
}

} // namespace

Facts ConfigFacts::along(unsigned axis) const {
  Facts chosen = facts;
  chosen.laneAxis = uint8_t(axis);
  chosen.blockClass = classes[axis];
  return chosen;
}

Facts ConfigFacts::of(const LaneAxes &lanes) const {
  const bool isWorth = hasWarps[lanes.preferred] && (lanes.spansBlocks || classes[lanes.preferred] >= facts.blockClass);
  return isWorth ? along(lanes.preferred) : facts;
}

ConfigFacts factsOf(const LaunchConfig &config) {
  ConfigFacts all{};
  all.threads = 1;
  all.facts.gridFitsInt32 = true;
  for (unsigned axis = 0; axis < 3; ++axis) {
    all.facts.gridFitsInt32 &= int64_t(config.grid[axis]) * largestBlock <= int32Max;
    all.classes[axis] = blockClassOf(config.block, axis);
    const int64_t length = int64_t(config.grid[axis]) * config.block[axis];
    all.hasWarps[axis] = length >= 32;
    if (__builtin_mul_overflow(all.threads, length, &all.threads))
      all.threads = std::numeric_limits<int64_t>::max();
  }
  all.facts.blockClass = all.classes[0];
  all.facts.fullWarps = config.threadsPerBlock() % 32 == 0;
  return all;
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
    // Fast path: usually it lies outside the range of all of them, as memory is allocated in rising order.
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

bool overlapsItself(const ArgumentLeaf &array) { return examine(array).overlapsItself; }

uint64_t rowsOf(std::span<const ArgumentLeaf> leaves, const RowArrays &arrays) {
  Facts facts;
  for (unsigned i = 0; i < arrays.positions.size(); ++i) {
    const ArgumentLeaf &leaf = leaves[arrays.positions[i]];
    facts.setRow(i, 0, leaf.shape[leaf.ndim - 1]);
    facts.setRow(i, 1, leaf.shape[leaf.ndim - 2]);
  }
  return facts.rows & arrays.useful;
}

/// A share of the grid writes its copy and merges it, which costs two or three cycles an element, and as much again as
/// a locked update for each element that has changed. Without the copy each thread makes a locked update at least once.
uint8_t tablesOf(std::span<const ArgumentLeaf> leaves, std::span<const unsigned> arguments, int64_t threads) {
  uint8_t tables = 0;
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const ArgumentLeaf &leaf = leaves[arguments[i]];
    int64_t bytes = leaf.itemBytes;
    for (unsigned axis = 0; axis < leaf.ndim; ++axis)
      bytes = std::min(bytes * std::min(leaf.shape[axis], Facts::tableBytes + 1), Facts::tableBytes + 1);
    const bool isSmall = bytes <= Facts::smallTableBytes;
    const bool isWorthIt = bytes <= Facts::tableBytes && bytes / leaf.itemBytes <= threads / 2;
    tables |= uint8_t((isSmall || isWorthIt) << i);
  }
  return tables;
}

Facts likelyFacts() {
  Facts facts;
  visitFacts([&](const auto &row) { facts.*row.value = row.usual; });
  return facts;
}

} // namespace treadle
