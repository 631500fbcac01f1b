// Overlap: whether an elementwise assignment reads elements of an array that it has already changed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace treadle {

/// An integer: a constant plus multiples of unknowns, each with the same value wherever it occurs.
struct Sum {
  int64_t constant = 0;
  std::map<uint32_t, int64_t> factors; ///< by the number of the unknown; none is 0
  bool operator==(const Sum &) const = default;
  Sum plus(const Sum &other, int64_t factor) const;
};

/// The elements that a view selects along one axis of the array below.
struct AxisPath {
  struct Slice {
    std::optional<Sum> start, stop;
    Sum step = {1, {}};
    bool operator==(const Slice &) const = default;
  };
  std::vector<Slice> slices;          ///< each applied to the result of the one before
  std::optional<Sum> index;           ///< applied after the slices: the view lacks that axis
  std::optional<int64_t> extent = {}; ///< of the array, if known
  bool operator==(const AxisPath &) const = default;
};

/// A view of an array, which may be all of it.
struct ViewShape {
  static constexpr int newAxis = -1;
  std::vector<AxisPath> paths; ///< for each axis of the array
  std::vector<int> axes;       ///< for each axis of the view: the array's axis, or newAxis
};

/// For each axis of an array that is read: the target's axis along whose positions it is read, or anywhere.
using Ties = std::vector<int>;
constexpr int anywhere = -1;

/// How a value reads a view.
struct Reading {
  Ties ties;
  bool isCopy = false; ///< the value is the view itself: assigning an element to itself changes nothing
};

/// For one read. An order is wrong if an element is read at another place after it was written.
struct Overlap {
  bool isEverLateUp = false;   ///< the ascending order is wrong for some extents and unknowns
  bool isEverLateDown = false; ///< the descending order is
  bool isLateUp = false;       ///< ascending order is wrong for some unknowns, if extents are large
  bool isLateDown = false;
  bool isCertain = false; ///< one of the two is wrong for all unknowns, if extents are large
  bool isSampled = false; ///< there are too many cases: untried ones may differ
  /// An order is wrong if it is for one of several reads. isCertain and isSampled are of a single read.
  void add(const Overlap &other) {
    isEverLateUp |= other.isEverLateUp;
    isEverLateDown |= other.isEverLateDown;
    isLateUp |= other.isLateUp;
    isLateDown |= other.isLateDown;
  }
};

/// Extents and unknowns, which are assumed to be nonnegative, are sampled with values around the constants in the
/// bounds: what holds for these holds for all, as all bounds are linear.
Overlap overlapOf(const ViewShape &target, const ViewShape &read, const Reading &how, uint32_t unknowns);

} // namespace treadle
