// InductiveSlots: removes slots until the property holds for everything assigned to the rest.
#include "passes/analyses/inductive_slots.h"

#include <vector>

namespace treadle {

using namespace typed;

/// Begins with all candidates and removes those with an assignment that does not have the property, given the slots
/// that are left. A removal can only affect assignments that read the slot, which are looked at again; each slot is
/// removed once. Beginning with none and adding would never find `best = max(best, x)`.
InductiveSlots::InductiveSlots(const Uses &uses, Candidate isCandidate, Property holds) : slots(uses.slotCount()) {
  std::vector<const Assign *> rest;
  llvm::BitVector others(slots.size());
  for (const SlotUse &use : uses.in(uses.all())) {
    if (use.kind == SlotUse::Kind::Assign)
      rest.push_back(&use.assignment->as<Assign>());
    else if (use.kind == SlotUse::Kind::Count)
      others.set(use.slot);
  }
  for (const Assign *assign : rest)
    if (!assign->slot->isParameter && isCandidate(*assign))
      slots.set(assign->slot->index);
  slots.reset(others);
  if (slots.none())
    return;
  std::vector<std::vector<const Assign *>> readers(slots.size());
  for (const Assign *assign : rest) {
    if (!contains(*assign->slot))
      continue;
    for (const SlotUse &use : uses.in(uses.of(*assign)))
      if (use.isRead())
        readers[use.slot].push_back(assign);
  }
  while (!rest.empty()) {
    const Assign &assign = *rest.back();
    rest.pop_back();
    if (!contains(*assign.slot) || holds(*assign.value, *this))
      continue;
    slots.reset(assign.slot->index);
    const auto &affected = readers[assign.slot->index];
    rest.insert(rest.end(), affected.begin(), affected.end());
  }
}

} // namespace treadle
