// slot_numbers: value numbers of variables along the flow of control.
#pragma once

#include "passes/analyses/uses.h"
#include "passes/analyses/value_numbers.h"
#include "support/scoped.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace treadle {

/// Follows a walk over a function in evaluation order.
class SlotNumbers {
public:
  using Number = ValueNumbers::Number;
  using Slots = llvm::SmallVector<unsigned>;

  SlotNumbers(const TypedFunction &function, const Uses &uses, ValueNumbers &numbers);

  Number valueOf(const typed::Slot &slot);
  void assign(const typed::Slot &slot, Number number) { assign(slot.index, number); }
  /// An iteration of a loop begins, not necessarily the first one.
  void enterLoop() { ++loops; }
  /// They may have any value from here on.
  void forget(llvm::ArrayRef<unsigned> changed);
  /// Walks a part of the function, and returns the variables that it assigns, each once; their values from before it
  /// are restored.
  template <class Part> Slots changedBy(Part part) {
    const Scoped<size_t> here(mark, changes.size());
    part();
    return takeBack();
  }

private:
  struct State {
    Number number = 0;
    unsigned since = 0; ///< of `loops`
  };
  /// The first change of a slot in the current part, or in an enclosing one. So a slot has at most one per enclosing
  /// part, however often these assign it: recording each assignment, in both arms of a branch, would double the record
  /// with every enclosing part.
  struct Change {
    unsigned slot;
    State before;
    size_t previous; ///< as latest[slot] was
  };

  void assign(unsigned slot, Number number);
  Slots takeBack();

  ValueNumbers &numbers;
  const Uses &uses;
  std::vector<State> slots;
  std::vector<Change> changes;
  std::vector<size_t> latest; ///< by slot: the number of changes up to and including its latest one; 0: none
  size_t mark = 0;            ///< the number of changes before the current part
  unsigned loops = 0;         ///< entered so far
};

} // namespace treadle
