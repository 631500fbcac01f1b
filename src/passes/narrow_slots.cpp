// narrow_slots: joins the ranges of what is assigned.
#include "passes/narrow_slots.h"

#include "passes/interval.h"
#include "passes/tree_walk.h"

namespace treadle {

using namespace typed;

static uint8_t bitsFor(Interval values, const Type *type) {
  if (intervals::isEmpty(values) || !type->isInt())
    return 0;
  for (const unsigned bits : {16u, 32u}) {
    const int64_t least = -(int64_t(1) << (bits - 1));
    if (bits < type->bytes() * 8 && values.low >= least && values.high <= -1 - least)
      return uint8_t(bits);
  }
  return 0;
}

std::vector<uint8_t> findNarrowSlots(const TypedFunction &function, const RangeTable &ranges) {
  std::vector<Interval> assigned(function.slots.size(), intervals::empty());
  auto anything = [&](const Slot &slot) { assigned[slot.index] = Interval{}; };
  TreeVisitor visitor{[](const Expr &) { return true; },
                      [&](const Stmt &statement) {
                        if (statement.kind == StmtKind::Range)
                          anything(*statement.as<Range>().slot);
                        if (statement.kind == StmtKind::Assign) {
                          Interval &known = assigned[statement.as<Assign>().slot->index];
                          known = intervals::join(known, ranges.of(*statement.as<Assign>().value));
                        }
                        return true;
                      }};
  visitor.walk(function.body);
  std::vector<uint8_t> bits(function.slots.size());
  for (const Slot *slot : function.slots)
    if (!slot->isParameter)
      bits[slot->index] = bitsFor(assigned[slot->index], slot->type);
  return bits;
}

} // namespace treadle
