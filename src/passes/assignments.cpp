// assignments: counts them in one walk.
#include "passes/assignments.h"

#include "passes/tree_walk.h"

namespace treadle {

using namespace typed;

std::vector<unsigned> countAssignments(const TypedFunction &function) {
  std::vector<unsigned> assignments(function.slots.size());
  TreeVisitor visitor{[](const Expr &) { return true; },
                      [&](const Stmt &node) {
                        if (node.kind == StmtKind::Assign)
                          ++assignments[node.as<Assign>().slot->index];
                        if (node.kind == StmtKind::Range)
                          assignments[node.as<Range>().slot->index] += 2;
                        return true;
                      }};
  visitor.walk(function.body);
  return assignments;
}

} // namespace treadle
