// pass_report: findings refer to statements and expressions by their text.
#include "passes/pass_report.h"

#include "passes/analyses/tree_walk.h"
#include "passes/grid/lane_axis.h"
#include "passes/ranges/interval.h"
#include "typed/print.h"
#include "typed/traits.h"

#include <fmt/core.h>

namespace treadle {

using namespace typed;

namespace {

/// Visits the kernel and its callees in the order of evaluation.
/// Tables of an analysis have no order of their own: walking the tree makes reports of the same kernel equal.
void visitAll(const Analysis &analysis, llvm::function_ref<void(const Expr &)> expression,
              llvm::function_ref<void(const Stmt &)> statement) {
  TreeVisitor visitor{[&](const Expr &node) {
                        expression(node);
                        return true;
                      },
                      [&](const Stmt &node) {
                        statement(node);
                        return true;
                      }};
  for (const TypedFunction *function : withCallees(*analysis.kernel))
    visitor.walk(function->body);
}

void visitStatements(const Analysis &analysis, llvm::function_ref<void(const Stmt &)> statement) {
  visitAll(
      analysis, [](const Expr &) {}, statement);
}

Findings only(bool holds, const char *text) { return holds ? Findings{text} : Findings{}; }

/// The statements of a set.
template <typename Statements>
Findings marked(const Analysis &analysis, const Statements &statements, std::string_view text) {
  Findings found;
  visitStatements(analysis, [&](const Stmt &node) {
    if (statements.contains(&node))
      found.push_back(fmt::format("{}: {}", printed(node), text));
  });
  return found;
}

std::string shown(Interval values) { return fmt::format("{} to {}", values.low, values.high); }

} // namespace

Findings findings::rules(const Analysis &analysis) { return {analysis.rules.begin(), analysis.rules.end()}; }

Findings findings::overlap(const Analysis &analysis) { return only(analysis.facts.noOverlap, "arrays do not overlap"); }

/// Loops that end by themselves are most loops, and are left out.
Findings findings::waiting(const Analysis &analysis) {
  Findings found;
  visitStatements(analysis, [&](const Stmt &node) {
    const Patience patience = traits(node.kind).loops ? analysis.waiting->of(node) : Patience::Endless;
    if (patience != Patience::Endless)
      found.push_back(printed(node) + (patience == Patience::Short ? ": waits" : ": may wait"));
  });
  return found;
}

Findings findings::fibers(const Analysis &analysis) { return only(analysis.usesFibers, "warps are fibers"); }

Findings findings::gridIds(const Analysis &analysis) {
  Findings found;
  visitAll(
      analysis,
      [&](const Expr &node) {
        if (const auto id = analysis.gridIds.replaced.find(&node); id != analysis.gridIds.replaced.end())
          found.push_back(printed(node) + ": " + std::string(operationText(id->second)));
      },
      [&](const Stmt &node) {
        if (analysis.gridIds.dead.contains(&node))
          found.push_back(printed(node) + ": not needed");
      });
  return found;
}

/// All that the kernel allows. `Analysis::tables` has those that the facts of the launch ask for, which may be none.
Findings findings::tables(const Analysis &analysis) {
  Findings found;
  for (const WorkerTable &table : workerTables(*analysis.kernel))
    found.push_back(std::string(analysis.kernel->slots[table.parameter]->name) + ": workers may have copies");
  return found;
}

/// The axis is a proposal to the launch, which knows the grid; the code follows `Facts::laneAxis`, whatever this says.
Findings findings::spans(const Analysis &analysis) {
  Findings found = only(analysis.spansBlocks, "warps may span blocks");
  if (const unsigned axis = preferredAxes(*analysis.kernel).preferred; axis != 0)
    found.push_back(std::string("warps should run along ") + "xyz"[axis]);
  return found;
}

Findings findings::halves(const Analysis &analysis) {
  return only(analysis.canHalveWarps, "warps may be two vectors of 16 lanes");
}

Findings findings::stridedLoops(const Analysis &analysis) {
  Findings found;
  for (const StridedLoop &loop : analysis.stridedLoops)
    found.push_back(printed(*loop.statement) + ": iterations run in sequence");
  return found;
}

Findings findings::vectorizableLoops(const Analysis &analysis) {
  return marked(analysis, analysis.vectorizableLoops, "iterations of a thread may be vectorized");
}

Findings findings::streams(const Analysis &analysis) {
  Findings found;
  for (const unsigned parameter : analysis.streamed.set_bits())
    found.push_back(std::string(analysis.kernel->slots[parameter]->name) + ": only stored to");
  return found;
}

/// Assignments only, and only those whose value has fewer values than its type: every expression would be too many
/// lines.
Findings findings::ranges(const Analysis &analysis) {
  Findings found;
  visitStatements(analysis, [&](const Stmt &node) {
    if (node.kind != StmtKind::Assign || !node.as<Assign>().value->type->isInteger())
      return;
    const Expr &value = *node.as<Assign>().value;
    const Interval values = analysis.ranges.of(value);
    if (!intervals::contains(values, intervals::ofType(value.type)))
      found.push_back(printed(node) + ": " + (intervals::isEmpty(values) ? "never" : shown(values)));
  });
  return found;
}

Findings findings::divergence(const Analysis &analysis) {
  return marked(analysis, analysis.divergentBarriers, "threads of a warp may arrive one by one");
}

/// Passes replace trees and never change them, so the address tells whether a pass has made one.
std::string reportOf(const Pass &pass, const Analysis &analysis, const TypedFunction *before,
                     std::chrono::steady_clock::duration time) {
  const bool isNew = analysis.kernel != before;
  const Findings found = pass.findings ? pass.findings(analysis) : Findings{};
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  std::string text = fmt::format("{} ({} us): {}\n", pass.name, microseconds,
                                 isNew           ? "made a new tree"
                                 : found.empty() ? "changed nothing"
                                                 : "found");
  for (const std::string &line : found)
    text += "  " + line + "\n";
  return isNew ? text + analysis.kernel->print() : text;
}

} // namespace treadle
