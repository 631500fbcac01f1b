// Uses: the walk, and questions about parts of the list that it makes.
// The list is made once per function and shared by the passes; questions about a statement or a loop then cost a part
// of the list, and no other walk over the tree.
#include "passes/analyses/uses.h"

#include "typed/traits.h"
#include "typed/walk.h"

#include <algorithm>

namespace treadle {

using namespace typed;
using Kind = SlotUse::Kind;

Uses::Uses(const TypedFunction &function) : totals(function.slots.size()) { walk(function.body, Kind::Value); }

/// `latest` means something only where `assignments` says that there is no other: questions ask that first.
void Uses::add(const Slot &slot, Kind kind, const Stmt *assignment) {
  Total &total = totals[slot.index];
  total.places.push_back(uint32_t(uses.size()));
  if (assignment) {
    total.assignments += kind == Kind::Count ? 2 : 1;
    total.latest = assignment;
  }
  uses.push_back({slot.index, kind, assignment});
}

void Uses::walk(Body body, Kind kind) {
  for (const Stmt *statement : body)
    walk(*statement, kind);
}

/// What a statement assigns comes after what it reads: in `i = i + 1` the read is of the earlier value. Reads of arrays
/// that are stored to have a kind of their own, by which arrays that are never loaded from are found.
void Uses::walk(const Stmt &statement, Kind kind) {
  const uint32_t first = all().end;
  if (statement.kind == StmtKind::Store) {
    walk(*statement.as<Store>().value, kind);
    walk(statement.as<Store>().at, Kind::Stored);
  } else if (traits(statement.kind).loops) {
    walkLoop(statement, kind);
  } else {
    forEachPart(statement, [&](const Expr &part) { walk(part, kind); }, [&](Body body) { walk(body, kind); });
    if (const Slot *slot = assignedSlot(statement))
      add(*slot, Kind::Assign, &statement);
  }
  parts[&statement] = {first, all().end};
}

/// The bounds of a Range are evaluated once and so are not in its rounds, which begin after the assignment to its
/// variable; the test of a While is in them. Else clauses run after the last round.
void Uses::walkLoop(const Stmt &loop, Kind kind) {
  uint32_t first = all().end;
  forEachPart(loop, [&](const Expr &part) { walk(part, kind); }, [](Body) {});
  if (const Slot *slot = assignedSlot(loop)) {
    add(*slot, Kind::Count, &loop);
    first = all().end;
  }
  bool isBody = true;
  forEachPart(
      loop, [](const Expr &) {},
      [&](Body body) {
        walk(body, kind);
        if (std::exchange(isBody, false))
          rounds[&loop] = {first, all().end};
      });
}

void Uses::walk(const Indexed &at, Kind array) {
  walk(*at.array, array);
  for (const Expr *index : at.indices)
    walk(*index, Kind::Index);
}

/// All that an index is computed from is an index as well: in `x[i + 1]`, `i`. The array of a load within it is not.
void Uses::walk(const Expr &expression, Kind kind) {
  if (const Slot *slot = readSlot(expression))
    return add(*slot, kind, nullptr);
  if (expression.kind == ExprKind::Load)
    return walk(expression.as<Load>().at, Kind::Value);
  if (expression.kind == ExprKind::Attribute)
    return walk(*expression.as<Attribute>().array, Kind::Attribute);
  const Kind below = kind == Kind::Index ? kind : Kind::Value;
  forEachPart(expression, [&](const Expr &part) { walk(part, below); }, [&](Body body) { walk(body, below); });
}

/// Statements of one body are adjacent in the list, without gaps.
Uses::Part Uses::of(Body statements) const {
  return statements.empty() ? Part{} : Part{of(*statements.front()).first, of(*statements.back()).end};
}

/// Places are ascending, as the walk appends them, and so are searched by bisection.
std::span<const uint32_t> Uses::placesOf(const Slot &slot, Part part) const {
  const std::span<const uint32_t> places = totals[slot.index].places;
  const auto first = std::ranges::lower_bound(places, part.first);
  return {first, std::ranges::lower_bound(first, places.end(), part.end)};
}

llvm::BitVector Uses::slotsOf(Part part, bool areRead) const {
  llvm::BitVector slots(slotCount());
  for (const SlotUse &use : in(part))
    if (use.isRead() == areRead)
      slots.set(use.slot);
  return slots;
}

unsigned Uses::reads(const Slot &slot, Part part) const {
  return unsigned(std::ranges::count_if(placesOf(slot, part), [&](uint32_t place) { return uses[place].isRead(); }));
}

bool Uses::isIndex(const Slot &slot, Part part) const {
  return std::ranges::any_of(placesOf(slot, part), [&](uint32_t place) { return uses[place].kind == Kind::Index; });
}

unsigned Uses::assignments(const Slot &slot, Part part) const {
  unsigned count = 0;
  for (const uint32_t place : placesOf(slot, part))
    if (!uses[place].isRead())
      count += uses[place].kind == Kind::Count ? 2 : 1;
  return count;
}

const Expr *Uses::onlyValue(const Slot &slot) const {
  const Total &total = totals[slot.index];
  return total.assignments == 1 ? total.latest->as<Assign>().value : nullptr;
}

/// Two assignments are one Range, or two statements: the latest of them tells, as two Ranges count four.
const Range *Uses::onlyLoop(const Slot &slot) const {
  const Total &total = totals[slot.index];
  return total.assignments == 2 && total.latest->kind == StmtKind::Range ? &total.latest->as<Range>() : nullptr;
}

const Uses &UsesTable::of(const TypedFunction &function) const {
  std::unique_ptr<const Uses> &uses = known[&function];
  if (!uses)
    uses = std::make_unique<const Uses>(function);
  return *uses;
}

} // namespace treadle
