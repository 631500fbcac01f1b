// The passes in order: what each requires of earlier passes, and what it guarantees to later ones.
#include "passes/pipeline.h"

#include "border/compile_options.h"
#include "passes/analyses/divergent_barriers.h"
#include "passes/analyses/tree_walk.h"
#include "passes/analyses/written_arrays.h"
#include "passes/grid/block_spans.h"
#include "passes/grid/warp_halves.h"
#include "passes/grid/worker_tables.h"
#include "passes/pass_report.h"
#include "passes/rewrites/barrier_statements.h"
#include "passes/rewrites/bit_counts.h"
#include "passes/rewrites/flat_indices.h"
#include "passes/rewrites/forwarded_values.h"
#include "passes/rewrites/inner_indices.h"
#include "passes/rewrites/lockstep_counters.h"
#include "passes/rewrites/narrow_floats.h"
#include "passes/rewrites/remainders.h"
#include "passes/rewrites/rewriter.h"
#include "support/error.h"
#include "typed/verify.h"

namespace treadle {

Analysis::Analysis(const AnalysisRequest &request)
    : kernel(&request.kernel), facts(request.facts), options(request.options), usesFibers(request.usesFibers) {
  if (request.isReported)
    report.emplace();
}

namespace {

void replaceKernel(Analysis &analysis, std::shared_ptr<const TypedFunction> made) {
  if (!made)
    return;
  analysis.own.push_back(std::move(made));
  analysis.kernel = analysis.own.back().get();
}

/// Requires a tree as made by inference, as launches do that count its tables. Guarantees `tables`; there are none
/// where debuggers look at arrays.
void seeTables(Analysis &analysis) {
  const TypedFunction &kernel = *analysis.kernel;
  if (analysis.facts.tables == 0 || !analysis.facts.noOverlap || analysis.usesFibers || analysis.options.debug ||
      capturesDeviceArray(kernel))
    return;
  const std::vector<WorkerTable> tables = workerTables(kernel);
  for (unsigned i = 0; i < tables.size(); ++i)
    if ((analysis.facts.tables >> i & 1) != 0)
      analysis.tables.push_back(tables[i]);
}

/// Requires a tree as made by inference. Guarantees that barriers remain inside expressions in loop tests only; makes a
/// new tree for that.
void makeStatements(Analysis &analysis) {
  replaceKernel(analysis, makeBarriersStatements(*analysis.kernel, analysis.usesFibers));
}

/// Requires nothing. Guarantees nothing; may make a new tree. Remainders are to be seen by the passes that know more of
/// these than of differences.
void makeRemainders(Analysis &analysis) {
  const TypedFunction &kernel = *analysis.kernel;
  if (analysis.options.optimization == 0 || analysis.options.debug || !kernel.expanded.empty())
    return;
  Rewriter::Rules rules;
  if (std::unique_ptr<Rule> rule = remainders({kernel, analysis.uses, analysis.facts.noOverlap}))
    rules.push_back(std::move(rule));
  replaceKernel(analysis, rewritten(kernel, rules));
}

RangeSeeds seedsOf(const Analysis &analysis) { return {analysis.facts, analysis.options.maxThreadsPerBlock}; }

/// Requires nothing. Guarantees nothing; may make a new tree. Its copies of statements are to be seen by the rules, and
/// by `separateIndices`.
void separateRows(Analysis &analysis) {
  const TypedFunction &kernel = *analysis.kernel;
  if (analysis.options.optimization != 0)
    replaceKernel(analysis, separateFlatIndices(kernel, analysis.uses.of(kernel), seedsOf(analysis)));
}

/// Requires nothing. Guarantees nothing; may make a new tree. Its copies of statements are to be seen by the rules.
void separateIndices(Analysis &analysis) {
  const TypedFunction &kernel = *analysis.kernel;
  if (analysis.options.optimization != 0)
    replaceKernel(analysis, separateInnerIndices(kernel, analysis.uses.of(kernel), seedsOf(analysis)));
}

/// Requires nothing. Guarantees that Facts::noOverlap holds for captured arrays too.
void seeOverlap(Analysis &analysis) { analysis.facts.noOverlap &= !capturesDeviceArray(*analysis.kernel); }

/// Applies rules in one copy of the tree, unless calls in it have been expanded. They change different nodes (loads and
/// stores, values of float64, loops with their counters), so that their order does not matter.
void applyRules(Analysis &analysis, std::span<const RuleMaker> makers) {
  if (analysis.options.optimization == 0 || analysis.options.debug || !analysis.kernel->expanded.empty())
    return;
  const RuleInput input{*analysis.kernel, analysis.uses, analysis.facts.noOverlap};
  Rewriter::Rules rules;
  for (const RuleMaker &maker : makers)
    if (std::unique_ptr<Rule> rule = maker.make(input)) {
      rules.push_back(std::move(rule));
      analysis.rules.push_back(maker.name);
    }
  replaceKernel(analysis, rewritten(*analysis.kernel, rules));
}

constexpr RuleMaker ptxRules[] = {{"narrow floats", narrowFloats}, {"bit counts", bitCounts}};
constexpr RuleMaker cpuRules[] = {
    {"forwarded values", forwardedValues},
    {"narrow floats", narrowFloats},
    {"lockstep counters", lockstepCounters},
    {"bit counts", bitCounts},
};

/// Requires nothing. Guarantees nothing; may make a new tree.
void applyPtxRules(Analysis &analysis) { applyRules(analysis, ptxRules); }

/// Requires Facts::noOverlap. Guarantees nothing; may make a new tree.
void applyCpuRules(Analysis &analysis) { applyRules(analysis, cpuRules); }

/// Requires Facts::noOverlap. Guarantees `waiting`.
void seeWaiting(Analysis &analysis) {
  analysis.waiting.emplace(*analysis.kernel, analysis.uses, analysis.facts.noOverlap);
}

/// Requires `waiting`. Guarantees that without fibers no thread waits in a loop for another thread of its block.
void requireFibers(Analysis &analysis) {
  if (!analysis.usesFibers && analysis.waiting->mayWaitIn(*analysis.kernel))
    throw NeedsFibers{};
}

/// Requires nothing. Guarantees `gridIds`.
void seeGridIds(Analysis &analysis) { findGridIds(*analysis.kernel, analysis.uses, analysis.gridIds); }

/// Requires `gridIds`. Guarantees `spansBlocks`. Code that spans blocks has no values for the variables that `gridIds`
/// replaces.
void seeSpans(Analysis &analysis) {
  analysis.spansBlocks =
      !analysis.usesFibers && !keepsVariables(analysis.options) && canSpanBlocks(*analysis.kernel, analysis.gridIds);
}

/// Requires nothing. Guarantees `canHalveWarps`.
void seeHalves(Analysis &analysis) { analysis.canHalveWarps = !analysis.usesFibers && canHalveWarps(*analysis.kernel); }

/// Requires `gridIds` and `spansBlocks`. Guarantees `stridedLoops` and the kernel's liveness; there are none with
/// fibers. A kernel that spans blocks either is one such loop as a whole, or has none.
void seeStridedLoops(Analysis &analysis) {
  if (analysis.usesFibers || analysis.options.optimization == 0)
    return;
  const TypedFunction &kernel = *analysis.kernel;
  analysis.liveness = findLiveness(kernel, true);
  std::vector<StridedLoop> loops = findStridedLoops(
      {kernel, analysis.uses.of(kernel), *analysis.liveness, analysis.gridIds, analysis.facts.laneAxis});
  if (!analysis.spansBlocks || (loops.size() == 1 && isAllOf(loops.front(), kernel)))
    analysis.stridedLoops = std::move(loops);
}

/// Requires nothing. Guarantees `vectorizableLoops`; there are none with fibers.
void seeVectorizableLoops(Analysis &analysis) {
  if (analysis.usesFibers || analysis.options.optimization == 0 || analysis.options.debug)
    return;
  for (const TypedFunction *function : withCallees(*analysis.kernel))
    analysis.vectorizableLoops.merge(findVectorizableLoops(*function, analysis.uses.of(*function)));
}

/// Requires `waiting`. Guarantees `streamed`; empty if threads wait for each other while the kernel runs, since
/// streaming stores are ordered only at its end.
void seeStreams(Analysis &analysis) {
  const TypedFunction &kernel = *analysis.kernel;
  if (!analysis.usesFibers && !analysis.waiting->any() && !kernel.hasGridBarrier && !kernel.usesClusters)
    analysis.streamed = onlyStoredParameters(kernel, analysis.uses.of(kernel));
}

/// Requires nothing. Guarantees `divergentBarriers`.
void seeDivergence(Analysis &analysis) { analysis.divergentBarriers = findDivergentBarriers(*analysis.kernel); }

/// Requires nothing. Guarantees `ranges`.
void seeRanges(Analysis &analysis) { analysis.ranges = findRanges(*analysis.kernel, seedsOf(analysis)); }

constexpr Pass ptxPasses[] = {
    {"rules", applyPtxRules, findings::rules},        {"overlap", seeOverlap, findings::overlap},
    {"waiting loops", seeWaiting, findings::waiting}, {"grid ids", seeGridIds, findings::gridIds},
    {"ranges", seeRanges, findings::ranges},          {"divergent barriers", seeDivergence, findings::divergence},
};

/// Passes that make trees come first, since tables refer to the nodes of the final tree by address. Among them, copies
/// of statements are made before the rules that are to see them, and what overlaps is known before values are
/// forwarded. `fibers` comes as soon as it can: it throws, and the passes before it run a second time. No other pass
/// reads `ranges`; those that need ranges of a tree that is not final yet find their own.
constexpr Pass cpuPasses[] = {
    {"worker tables", seeTables, findings::tables},
    {"barrier statements", makeStatements},
    {"remainders", makeRemainders},
    {"flat indices", separateRows},
    {"inner indices", separateIndices},
    {"overlap", seeOverlap, findings::overlap},
    {"rules", applyCpuRules, findings::rules},
    {"waiting loops", seeWaiting, findings::waiting},
    {"fibers", requireFibers, findings::fibers},
    {"grid ids", seeGridIds, findings::gridIds},
    {"block spans", seeSpans, findings::spans},
    {"warp halves", seeHalves, findings::halves},
    {"strided loops", seeStridedLoops, findings::stridedLoops},
    {"vectorizable loops", seeVectorizableLoops, findings::vectorizableLoops},
    {"streams", seeStreams, findings::streams},
    {"ranges", seeRanges, findings::ranges},
};

} // namespace

std::span<const Pass> passesOf(Generator generator) {
  if (generator == Generator::Ptx)
    return ptxPasses;
  return cpuPasses;
}

void runPasses(std::span<const Pass> passes, Analysis &analysis, bool verifies) {
  for (const Pass &pass : passes) {
    const TypedFunction *before = analysis.kernel;
    const auto start = std::chrono::steady_clock::now();
    pass.run(analysis);
    if (analysis.report)
      *analysis.report += reportOf(pass, analysis, before, std::chrono::steady_clock::now() - start);
    if (!verifies || analysis.kernel == before)
      continue;
    try {
      verifyAll(*analysis.kernel);
    } catch (const InternalError &error) {
      throw InternalError("after the pass '" + std::string(pass.name) + "': " + error.what());
    }
  }
}

std::unique_ptr<const Analysis> analyse(const AnalysisRequest &request, Generator generator) {
  if (verifiesTrees)
    verifyAll(request.kernel);
  auto analysis = std::make_unique<Analysis>(request);
  runPasses(passesOf(generator), *analysis, verifiesTrees);
  return analysis;
}

} // namespace treadle
