// ranges: the possible values of a function's integer expressions, for one compilation.
//
// The result is a side table. Typed trees are shared between threads and between compilations under other facts, so
// they are never modified: ranges are not in typed::Expr but in RangeTable::of(expression), which the emitter offers as
// Emitter::range(expression) (EmitOptions::ranges).
#pragma once

#include "typed/typed.h"
#include "types/facts.h"

#include <unordered_map>

namespace treadle {

/// Bounds of the integer expressions (Int and Bool) of a function and all its callees. For uint64 they are the bounds
/// of the bits read as int64: a value of 2^63 or more counts as negative, so [0, h] means at most h for every type.
class RangeTable {
public:
  /// Bounds of the expression's value wherever it is evaluated, in every activation. Unreachable expressions, and those
  /// that are not integers, have the bounds of their type.
  typed::Interval of(const typed::Expr &expression) const;

  /// For the pass: widens the expression's bounds to include these values.
  void add(const typed::Expr &expression, typed::Interval values);

private:
  std::unordered_map<const typed::Expr *, typed::Interval> found;
};

/// Facts of one compilation that bound values.
struct RangeSeeds {
  Facts facts;
  unsigned maxThreadsPerBlock = 0; ///< 0: CUDA's limit
};

/// Takes time linear in the size of the function and its callees.
RangeTable findRanges(const TypedFunction &function, const RangeSeeds &seeds);

} // namespace treadle
