// InductiveSlots: variables with an inductive property: it holds for every value that is assigned to them.
#pragma once

#include "passes/analyses/uses.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace treadle {

/// The largest set of slots all of whose assigned values have a property, where a value may have it because the slots
/// that it reads are in the set: `best` of `best = 0.0` and `best = max(best, x[i])` is not negative.
class InductiveSlots {
public:
  using Candidate = llvm::function_ref<bool(const typed::Assign &)>;
  using Property = llvm::function_ref<bool(const typed::Expr &, const InductiveSlots &)>;

  /// The empty set.
  InductiveSlots() = default;
  /// For slots that some assignment makes a candidate; excludes parameters, which their callers assign, and loop
  /// variables. Linear in the size of the function.
  InductiveSlots(const Uses &uses, Candidate isCandidate, Property holds);

  bool contains(const typed::Slot &slot) const { return slot.index < slots.size() && slots.test(slot.index); }
  bool any() const { return slots.any(); }

private:
  llvm::BitVector slots;
};

} // namespace treadle
