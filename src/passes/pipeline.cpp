// The passes in their order: what each requires of earlier passes, and what it guarantees to later ones.
#include "passes/pipeline.h"

#include "passes/barrier_statements.h"
#include "passes/block_spans.h"
#include "passes/divergent_barriers.h"
#include "passes/forwarded_values.h"
#include "passes/inner_indices.h"
#include "passes/lockstep_counters.h"
#include "passes/narrow_floats.h"
#include "passes/warp_halves.h"
#include "passes/written_arrays.h"
#include "support/error.h"
#include "typed/verify.h"

namespace treadle {

Analysis::Analysis(const AnalysisRequest &request)
    : kernel(&request.kernel), facts(request.facts), options(request.options), usesFibers(request.usesFibers) {}

namespace {

void replaceKernel(Analysis &analysis, std::shared_ptr<const TypedFunction> made) {
  if (!made)
    return;
  analysis.own.push_back(std::move(made));
  analysis.kernel = analysis.own.back().get();
}

/// Requires a tree as made by inference. Guarantees that barriers remain inside expressions in loop tests only; makes a
/// new tree for that.
void makeStatements(Analysis &analysis) {
  replaceKernel(analysis, makeBarriersStatements(*analysis.kernel, analysis.usesFibers));
}

/// Requires a tree without barriers that have been moved. Guarantees nothing; may make a new tree.
void separateIndices(Analysis &analysis) {
  if (analysis.options.optimization == 0 || !analysis.own.empty())
    return;
  const RangeSeeds seeds{analysis.facts, analysis.options.maxThreadsPerBlock};
  replaceKernel(analysis, separateInnerIndices(*analysis.kernel, seeds));
}

/// Requires nothing. Guarantees that Facts::noOverlap holds for captured arrays too.
void seeOverlap(Analysis &analysis) { analysis.facts.noOverlap &= !capturesDeviceArray(*analysis.kernel); }

/// Requires Facts::noOverlap. Guarantees nothing; may make a new tree.
void forwardElements(Analysis &analysis) {
  if (analysis.options.optimization > 0 && !analysis.options.debug)
    replaceKernel(analysis, forwardValues(*analysis.kernel, analysis.facts.noOverlap));
}

/// Requires nothing. Guarantees nothing; may make a new tree.
void narrowVariables(Analysis &analysis) {
  if (analysis.options.optimization > 0 && !analysis.options.debug)
    replaceKernel(analysis, narrowFloats(*analysis.kernel));
}

/// Requires nothing. Guarantees nothing; may make a new tree.
void separateCounters(Analysis &analysis) {
  if (analysis.options.optimization > 0 && !analysis.options.debug)
    replaceKernel(analysis, countInLockstep(*analysis.kernel));
}

/// Requires Facts::noOverlap. Guarantees `waiting`.
void seeWaiting(Analysis &analysis) { analysis.waiting.emplace(*analysis.kernel, analysis.facts.noOverlap); }

/// Requires `waiting`. Guarantees that without fibers no thread waits in a loop for another thread of its block.
void requireFibers(Analysis &analysis) {
  if (!analysis.usesFibers && analysis.waiting->mayWaitIn(*analysis.kernel))
    throw NeedsFibers{};
}

/// Requires nothing. Guarantees `gridIds`.
void seeGridIds(Analysis &analysis) { findGridIds(*analysis.kernel, analysis.gridIds); }

/// Requires `gridIds`. Guarantees `spansBlocks`. Code that spans blocks does not know the variables that `gridIds`
/// stands for.
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
  std::vector<StridedLoop> loops = findStridedLoops(kernel, *analysis.liveness, &analysis.gridIds);
  if (!analysis.spansBlocks || (loops.size() == 1 && isAllOf(loops.front(), kernel)))
    analysis.stridedLoops = std::move(loops);
}

/// Requires `waiting`. Guarantees `streamed`; empty if threads wait for each other while the kernel runs, since
/// streaming stores are ordered only at its end.
void seeStreams(Analysis &analysis) {
  const TypedFunction &kernel = *analysis.kernel;
  if (!analysis.usesFibers && !analysis.waiting->any() && !kernel.hasGridBarrier && !kernel.usesClusters)
    analysis.streamed = onlyStoredParameters(kernel);
}

/// Requires nothing. Guarantees `divergentBarriers`.
void seeDivergence(Analysis &analysis) { analysis.divergentBarriers = findDivergentBarriers(*analysis.kernel); }

/// Requires nothing. Guarantees `ranges`.
void seeRanges(Analysis &analysis) {
  analysis.ranges = findRanges(*analysis.kernel, {analysis.facts, analysis.options.maxThreadsPerBlock});
}

constexpr Pass ptxPasses[] = {
    {"narrow floats", narrowVariables}, {"overlap", seeOverlap}, {"waiting loops", seeWaiting},
    {"grid ids", seeGridIds},           {"ranges", seeRanges},   {"divergent barriers", seeDivergence},
};

constexpr Pass cpuPasses[] = {
    {"barrier statements", makeStatements},
    {"inner indices", separateIndices},
    {"overlap", seeOverlap},
    {"forwarded values", forwardElements},
    {"narrow floats", narrowVariables},
    {"lockstep counters", separateCounters},
    {"waiting loops", seeWaiting},
    {"fibers", requireFibers},
    {"grid ids", seeGridIds},
    {"block spans", seeSpans},
    {"warp halves", seeHalves},
    {"strided loops", seeStridedLoops},
    {"streams", seeStreams},
    {"ranges", seeRanges},
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
    pass.run(analysis);
    if (!verifies || analysis.kernel == before)
      continue;
    try {
      verifyAll(*analysis.kernel);
    } catch (const InternalError &error) {
      throw InternalError("behind the pass '" + std::string(pass.name) + "': " + error.what());
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
