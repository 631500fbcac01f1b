// ranges: which values the integer expressions of a function can have, for one compilation.
//
// The result is a side table. Typed trees are shared between threads and between compilations under other facts, so
// nothing in them is written after they are made: there is no range in typed::Expr; ask RangeTable::of(expression).
// The emitter has it as Emitter::range(expression) (EmitOptions::ranges).
#pragma once

#include "typed/typed.h"
#include "types/facts.h"

#include <unordered_map>

namespace treadle {

/// Bounds of integer expressions (Int and Bool) of a function and of all that it calls. Of uint64 the bounds are those
/// of its bits read as int64: a value of 2^63 or more counts as negative, so [0, h] means at most h for every type.
class RangeTable {
public:
  /// What the expression's value lies in wherever it is evaluated, in every activation. Expressions nobody reaches, and
  /// those that are no integers, get all that their type can hold.
  typed::Interval of(const typed::Expr &expression) const;
  /// Everything that a value of that type can be.
  static typed::Interval ofType(const Type *type);

  /// For the pass: the expression may also have these values.
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
