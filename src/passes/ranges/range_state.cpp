// The values of slots during a RangeWalk, and how two paths join.
#include "passes/ranges/range_walk.h"

namespace treadle {

using intervals::isEmpty;
using intervals::meet;

/// A test narrows what is known of a value and does not change it: the version stays, and copies of the leaf remain
/// copies.
void RangeWalk::set(uint32_t leaf, Interval newValues, bool isAssignment) {
  trail.push_back({leaf, isAssignment, values[leaf]});
  values[leaf] = newValues;
  if (isAssignment)
    version[leaf] = ++versions;
}

/// Restores values, but not `copies`, nor versions: a new version invalidates a copy that was made in the arm, and also
/// one from before it, which costs precision only.
RangeWalk::Arm RangeWalk::takeBack(size_t mark) {
  Arm arm{isAlive, {}};
  while (trail.size() > mark) {
    const Change &change = trail.back();
    // Changes are undone latest first, and the latest is the one to keep.
    auto [place, isNew] = arm.changed.try_emplace(change.leaf, ArmChange{values[change.leaf], change.isAssignment});
    place->second.isAssignment |= change.isAssignment;
    values[change.leaf] = change.old;
    if (change.isAssignment)
      version[change.leaf] = ++versions;
    trail.pop_back();
  }
  return arm;
}

/// Called where `values` are those from before both arms: a leaf that only one arm has changed may still have that
/// value. An arm that does not reach its end contributes nothing.
void RangeWalk::merge(const Arm &first, const Arm &second) {
  isAlive = first.isAlive || second.isAlive;
  if (!isAlive)
    return;
  if (!first.isAlive || !second.isAlive) {
    for (const auto &[leaf, change] : (first.isAlive ? first : second).changed)
      set(leaf, change.values, change.isAssignment);
    return;
  }
  auto join = [&](uint32_t leaf, const ArmChange &one, const Arm &other) {
    auto place = other.changed.find(leaf);
    bool isThere = place != other.changed.end();
    Interval both = intervals::join(one.values, isThere ? place->second.values : values[leaf]);
    set(leaf, both, one.isAssignment || (isThere && place->second.isAssignment));
  };
  for (const auto &[leaf, change] : first.changed)
    join(leaf, change, second);
  for (const auto &[leaf, change] : second.changed)
    if (!first.changed.contains(leaf))
      join(leaf, change, first);
}

/// After `j = i`, what a test says of `j` holds for `i` as well, as long as neither has been assigned since.
void RangeWalk::narrowLeaf(uint32_t leaf, Interval bounds) {
  // The number of steps is limited by the length of a chain of copies.
  while (leaf != noLeaf) {
    Interval both = meet(values[leaf], bounds);
    if (isEmpty(both)) {
      isAlive = false;
      return;
    }
    if (both.low != values[leaf].low || both.high != values[leaf].high)
      set(leaf, both, false);
    const Copy &copy = copies[leaf];
    bool holds =
        copy.source != noLeaf && copy.ownVersion == version[leaf] && copy.sourceVersion == version[copy.source];
    leaf = holds ? copy.source : noLeaf;
  }
}

} // namespace treadle
