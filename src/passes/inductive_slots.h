// InductiveSlots: variables of which something holds since it holds of every value that is assigned to them.
#pragma once

#include "typed/typed.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace treadle {

/// The largest set of slots whose assigned values all have a property, where values may have it because slots that they
/// read are in the set: `best` of `best = 0.0` and `best = max(best, x[i])` is no negative number.
class InductiveSlots {
public:
  using Candidate = llvm::function_ref<bool(const typed::Assign &)>;
  using Property = llvm::function_ref<bool(const typed::Expr &, const InductiveSlots &)>;

  /// The empty set.
  InductiveSlots() = default;
  /// Of slots that some assignment makes a candidate; parameters are none, as their callers assign to them, and neither
  /// are the variables of loops. Takes time in the size of the function.
  InductiveSlots(const TypedFunction &function, Candidate isCandidate, Property holds);

  bool contains(const typed::Slot &slot) const { return slot.index < slots.size() && slots.test(slot.index); }
  bool any() const { return slots.any(); }

private:
  llvm::BitVector slots;
};

} // namespace treadle
