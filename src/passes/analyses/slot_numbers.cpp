// slot_numbers: one change is recorded per variable and part of the function.
#include "passes/analyses/slot_numbers.h"

namespace treadle {

using Number = SlotNumbers::Number;

/// A parameter without assignments has one number in the whole function. Other variables get theirs when they are first
/// read or assigned.
SlotNumbers::SlotNumbers(const TypedFunction &function, const Uses &uses, ValueNumbers &numbers)
    : numbers(numbers), uses(uses), slots(function.slots.size()), latest(function.slots.size()) {
  for (unsigned i = 0; i < function.parameterCount; ++i)
    if (uses.assignments(*function.slots[i]) == 0)
      slots[i] = {numbers.fresh({ThreadPlace::uniform(), {}, function.slots[i]}), 0};
}

/// A variable with several assignments may have been changed by an earlier iteration.
Number SlotNumbers::valueOf(const typed::Slot &slot) {
  State &state = slots[slot.index];
  const bool isAgain = uses.assignments(slot) > (slot.isParameter ? 0 : 1);
  if (state.number == 0 || (state.since < loops && isAgain))
    state = {numbers.fresh(), loops};
  return state.number;
}

/// Only the first change in a part is recorded: what `takeBack` restores is the state before the part.
void SlotNumbers::assign(unsigned slot, Number number) {
  if (latest[slot] <= mark) {
    changes.push_back({slot, slots[slot], latest[slot]});
    latest[slot] = changes.size();
  }
  slots[slot] = {number, loops};
}

void SlotNumbers::forget(llvm::ArrayRef<unsigned> changed) {
  for (const unsigned slot : changed)
    assign(slot, numbers.fresh());
}

/// Latest first, so that `latest` of a slot is again what it was when the part began.
SlotNumbers::Slots SlotNumbers::takeBack() {
  Slots changed;
  for (; changes.size() > mark; changes.pop_back()) {
    const Change &change = changes.back();
    slots[change.slot] = change.before;
    latest[change.slot] = change.previous;
    changed.push_back(change.slot);
  }
  return changed;
}

} // namespace treadle
