// narrow_slots: joins the ranges of the assigned values.
#include "passes/ranges/narrow_slots.h"

#include "passes/ranges/interval.h"

namespace treadle {

using namespace typed;

namespace {

/// The value is stored as a signed integer whatever its type is: sign extension restores the bits of unsigned types,
/// too, as long as their values are below the largest signed one. An empty interval is that of a slot which no thread
/// assigns.
uint8_t bitsFor(Interval values, const Type *type) {
  if (intervals::isEmpty(values) || !type->isInt())
    return 0;
  for (const unsigned bits : {16u, 32u}) {
    const int64_t least = -(int64_t(1) << (bits - 1));
    if (bits < type->bytes() * 8 && values.low >= least && values.high <= -1 - least)
      return uint8_t(bits);
  }
  return 0;
}

} // namespace

/// A slot holds nothing but what some statement assigns, so one pass over the assignments is enough. A Range assigns
/// values that no expression has, and which the table therefore does not know; callers assign parameters.
std::vector<uint8_t> findNarrowSlots(const TypedFunction &function, const Uses &uses, const RangeTable &ranges) {
  std::vector<Interval> assigned(function.slots.size(), intervals::empty());
  for (const SlotUse &use : uses.in(uses.all())) {
    if (use.isRead())
      continue;
    const bool isAssign = use.kind == SlotUse::Kind::Assign;
    const Interval values = isAssign ? ranges.of(*use.assignment->as<Assign>().value) : Interval{};
    assigned[use.slot] = intervals::join(assigned[use.slot], values);
  }
  std::vector<uint8_t> bits(function.slots.size());
  for (const Slot *slot : function.slots)
    if (!slot->isParameter)
      bits[slot->index] = bitsFor(assigned[slot->index], slot->type);
  return bits;
}

} // namespace treadle
