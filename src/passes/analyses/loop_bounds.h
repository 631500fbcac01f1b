// loop_bounds: loop invariants, and loops that bound their own number of iterations.
#pragma once

#include "passes/analyses/uses.h"
#include "typed/typed.h"

#include <optional>

namespace treadle {

/// The variables that a loop assigns.
class LoopInvariants {
public:
  LoopInvariants(const Uses &uses, const typed::Stmt &loop)
      : uses(uses), part(uses.of(loop)), assigned(uses.assigned(part)) {}

  bool assigns(const typed::Slot *slot) const { return assigned.test(slot->index); }
  /// How often the loop assigns it, as Uses::assignments() counts.
  unsigned count(const typed::Slot *slot) const { return uses.assignments(*slot, part); }
  /// Whether the value depends on no memory and on no variable that the loop assigns.
  bool isFixed(const typed::Expr &expression) const;
  bool isFixed(const typed::Indexed &at) const;

private:
  const Uses &uses;
  const Uses::Part part;
  const llvm::BitVector assigned;
};

/// The value of an integer constant, below conversions between integers.
std::optional<int64_t> constantOf(const typed::Expr &expression);

/// Whether the number of iterations has a small constant bound.
bool isShort(const typed::Range &loop);

/// Whether the bound of a loop is so large a constant that it counts attempts: no extent of data is written like that.
bool countsAttempts(const typed::Stmt &loop);

/// Whether the number of iterations is bounded by the state at loop entry, whatever the loop reads from memory: part of
/// its test compares a counter with a fixed stop, and each iteration moves the counter by the same step; or the test
/// compares the ends of an interval, and each iteration moves one of them to the middle, as in binary search.
bool hasOwnBound(const typed::While &loop, const LoopInvariants &invariants);

} // namespace treadle
