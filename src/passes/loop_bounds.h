// loop_bounds: what is invariant in a loop, and which loops bound their own number of rounds.
#pragma once

#include "typed/typed.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace treadle {

/// The variables that a loop assigns.
class LoopInvariants {
public:
  explicit LoopInvariants(const typed::Stmt &loop);

  bool assigns(const typed::Slot *slot) const { return assignments.contains(slot); }
  /// The number of statements that assign it.
  unsigned count(const typed::Slot *slot) const { return assignments.lookup(slot); }
  /// Whether the value depends on no memory and on no variable that a round assigns.
  bool isFixed(const typed::Expr &expression) const;
  bool isFixed(const typed::Indexed &at) const;

private:
  llvm::DenseMap<const typed::Slot *, unsigned> assignments;
};

/// The value of an integer constant, below conversions between integers.
std::optional<int64_t> constantOf(const typed::Expr &expression);

/// Whether the loop ends after few rounds, whatever happens.
bool isShort(const typed::Range &loop);

/// Whether the bound of a loop is a number so large that it counts attempts: no extent of data is written like that.
bool countsAttempts(const typed::Stmt &loop);

/// Whether the number of rounds is bounded by the state at loop entry, whatever the loop reads from memory: part of its
/// test compares a counter with a fixed stop, and each round moves the counter by the same step; or the test compares
/// the ends of an interval, and each round moves one of them to the middle, as in binary search.
bool hasOwnBound(const typed::While &loop, const LoopInvariants &invariants);

} // namespace treadle
