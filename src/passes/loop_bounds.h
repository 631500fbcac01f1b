// loop_bounds: what stays the same in all rounds of a loop, and which loops have a bound of their own.
#pragma once

#include "typed/typed.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace treadle {

/// Which variables a loop assigns.
class LoopInvariants {
public:
  explicit LoopInvariants(const typed::Stmt &loop);

  bool assigns(const typed::Slot *slot) const { return assignments.contains(slot); }
  /// How many statements assign it.
  unsigned count(const typed::Slot *slot) const { return assignments.lookup(slot); }
  /// The value is computed from what no round assigns, and from no memory.
  bool isFixed(const typed::Expr &expression) const;
  bool isFixed(const typed::Indexed &at) const;

private:
  llvm::DenseMap<const typed::Slot *, unsigned> assignments;
};

/// A number written in the program, behind conversions between integers.
std::optional<int64_t> constantOf(const typed::Expr &expression);

/// Over after few rounds, whatever happens.
bool isShort(const typed::Range &loop);

/// Over after so many rounds as follow from where it began, whatever it reads in memory: part of its test compares a
/// counter with a fixed stop, and each round moves it by the same step; or it compares the ends of an interval, and
/// each round takes the middle of it for one of them, as a search by halves does.
bool hasOwnBound(const typed::While &loop, const LoopInvariants &invariants);

} // namespace treadle
