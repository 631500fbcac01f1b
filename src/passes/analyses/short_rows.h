// short_rows: arrays with short rows, such as points and colours: where Facts::rows helps, and what it states.
#pragma once

#include "typed/typed.h"
#include "types/facts.h"
#include "types/wanted_facts.h"

#include <array>
#include <vector>

namespace treadle {

/// The useful extents: of axes that the kernel, or a function that it calls, indexes by constants or by variables of
/// loops with few or as many iterations, and of rows that it takes as a whole.
RowArrays usefulRows(const TypedFunction &kernel);

/// The extents of a kernel's parameters according to Facts::rows.
class KnownExtents {
public:
  KnownExtents(const TypedFunction &kernel, const Facts &facts);

  /// Of the argument; 0: unknown.
  int64_t ofParameter(const typed::Slot &slot, unsigned axis) const;
  /// Of the array, wherever it is read; 0: unknown.
  int64_t of(const typed::Expr &array, unsigned axis) const;

private:
  const TypedFunction &kernel;
  std::vector<std::array<int64_t, 2>> extents; ///< by parameter: of the last axis and of the one before
  std::vector<bool> isAssigned;                ///< by parameter
};

} // namespace treadle
