// Properties of one whole launch that change the code.
#pragma once

#include "support/export.h"
#include "types/limits.h"

#include <bit>
#include <compare>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace treadle {

/// All facts in two words: equal exactly when the facts are.
struct FactsKey {
  uint64_t launch, rows;
  auto operator<=>(const FactsKey &) const = default;
};

/// Properties of one whole launch that change code: ranges, overlap, alignment, block class, short rows. Leaving a fact
/// unset is always correct: code compiled under fewer facts serves every launch.
struct alignas(uint64_t) Facts {
#define FACT(type, name, pythonName, unset, usual, lack) type name = unset;
#include "types/facts.inc"
  /// The axis that the lanes of a warp follow: 0 x, 1 y, 2 z. No property of a launch but a choice of the CPU device
  /// for kernels that LaneAxes describes: axes x and `laneAxis` are exchanged in the launch's geometry and in what
  /// kernels read of it, so that all that is said of x here (`blockClass`), and in generated code, is true of
  /// `laneAxis`.
  uint8_t laneAxis = 0;
  /// Bit i: the i-th of the kernel's tables, arrays that it only adds to, is small enough for the CPU device to give
  /// each worker a copy of it: `smallTableBytes`, or `tableBytes` and half as many elements as the launch has threads.
  uint8_t tables = 0;
  /// Short axes of the first `rowArrays` parameters that are arrays of two axes or more in C order: a byte for each,
  /// with the extent of its last axis in the lower half, and of the axis before in the upper. Extents of 2 to 16 count,
  /// less 1; 0 is any other.
  uint64_t rows = 0;
  static constexpr unsigned rowArrays = 8, mostTables = 8;
  static constexpr int64_t smallTableBytes = 4096, tableBytes = 65536;
  static constexpr int64_t longestRow = 16;

  /// The bits of `rows` for an array and an axis, 0 for the last and 1 for the one before.
  static constexpr uint64_t rowBits(unsigned array, unsigned axis) { return uint64_t(0xf) << (array * 8 + axis * 4); }
  TREADLE_API void setRow(unsigned array, unsigned axis, int64_t extent);
  /// 0: not known.
  TREADLE_API int64_t rowExtent(unsigned array, unsigned axis) const;

  /// The axis of the launch's geometry that is the kernel's `axis`, and the other way round.
  constexpr unsigned inGeometry(unsigned axis) const { return axis == laneAxis ? 0 : axis == 0 ? laneAxis : axis; }

  /// Most blocks of a grid along an axis.
  constexpr int64_t gridLimit(unsigned axis) const {
    const int64_t fitting = gridLimits[0] / largestBlock;
    return gridFitsInt32 && fitting < gridLimits[axis] ? fitting : gridLimits[axis];
  }

  bool operator==(const Facts &) const = default;
  constexpr FactsKey key() const { return std::bit_cast<FactsKey>(*this); }
  /// The bits of FactsKey::launch that encode the shape of a block.
  static uint64_t blockShapeKey();
};

static_assert(sizeof(Facts) == sizeof(FactsKey) && std::has_unique_object_representations_v<Facts>);

/// A row of the table, facts.inc.
template <class T> struct FactRow {
  T Facts::*value;
  const char *name, *pythonName;
  T usual;
  const char *lack;
  static constexpr bool isFlag = std::is_same_v<T, bool>;

  /// Whether it says anything about a launch.
  bool isAssumed(const Facts &facts) const { return facts.*value != Facts().*value; }
};

/// Calls `visit` with the FactRow of each fact in the table: all but the short rows.
template <class Visit> constexpr void visitFacts(Visit visit) {
#define FACT(type, name, pythonName, unset, usual, lack)                                                               \
  visit(FactRow<type>{&Facts::name, #name, #pythonName, usual, lack});
#include "types/facts.inc"
}

constexpr auto fieldsOf(const Facts *) {
  return std::tuple(
#define FACT(type, name, pythonName, unset, usual, lack) &Facts::name,
#include "types/facts.inc"
      &Facts::laneAxis, &Facts::tables, &Facts::rows);
}

inline uint64_t Facts::blockShapeKey() {
  Facts shape = std::bit_cast<Facts>(FactsKey{});
  shape.blockClass = 0xff;
  shape.fullWarps = true;
  return shape.key().launch;
}

} // namespace treadle
