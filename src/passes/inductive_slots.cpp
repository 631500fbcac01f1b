// InductiveSlots: takes out slots until the property holds of what is assigned to the rest.
#include "passes/inductive_slots.h"

#include "passes/tree_walk.h"

#include <vector>

namespace treadle {

using namespace typed;

InductiveSlots::InductiveSlots(const TypedFunction &function, Candidate isCandidate, Property holds)
    : slots(unsigned(function.slots.size())) {
  std::vector<const Assign *> rest;
  llvm::BitVector others(slots.size());
  TreeVisitor assignments{[](const Expr &) { return true; },
                          [&](const Stmt &statement) {
                            if (statement.kind == StmtKind::Range)
                              others.set(statement.as<Range>().slot->index);
                            if (statement.kind == StmtKind::Assign)
                              rest.push_back(&statement.as<Assign>());
                            return true;
                          }};
  assignments.walk(function.body);
  for (const Assign *assign : rest)
    if (!assign->slot->isParameter && isCandidate(*assign))
      slots.set(assign->slot->index);
  slots.reset(others);
  if (slots.none())
    return;
  std::vector<std::vector<const Assign *>> readers(slots.size());
  for (const Assign *assign : rest) {
    TreeVisitor reads{[&](const Expr &expression) {
                        if (expression.kind == ExprKind::Slot && contains(*assign->slot))
                          readers[expression.as<SlotRead>().slot->index].push_back(assign);
                        return true;
                      },
                      [](const Stmt &) { return true; }};
    reads.walk(*assign->value);
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
