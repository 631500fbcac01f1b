// The passes in their order: each with what it needs of those before it, and what it promises to those behind it.
#include "passes/pipeline.h"

#include "passes/barrier_statements.h"
#include "passes/block_spans.h"
#include "passes/divergent_barriers.h"
#include "passes/written_arrays.h"
#include "support/error.h"
#include "typed/verify.h"

namespace treadle {

Analysis::Analysis(const AnalysisRequest &request)
    : kernel(&request.kernel), facts(request.facts), options(request.options), usesFibers(request.usesFibers) {}

namespace {

/// Needs a tree as inference made it. Promises that no barrier is left inside of an expression but in loop tests, and
/// makes a tree of its own for that.
void makeStatements(Analysis &analysis) {
  if (std::shared_ptr<TypedFunction> made = makeBarriersStatements(*analysis.kernel, analysis.usesFibers)) {
    analysis.own = std::move(made);
    analysis.kernel = analysis.own.get();
  }
}

/// Needs nothing. Promises that Facts::noOverlap holds of captured arrays too.
void seeOverlap(Analysis &analysis) { analysis.facts.noOverlap &= !capturesDeviceArray(*analysis.kernel); }

/// Needs Facts::noOverlap. Promises `waiting`.
void seeWaiting(Analysis &analysis) { analysis.waiting.emplace(*analysis.kernel, analysis.facts.noOverlap); }

/// Needs `waiting`. Promises that without fibers no thread waits in a loop for one of its own block.
void requireFibers(Analysis &analysis) {
  if (!analysis.usesFibers && analysis.waiting->mayWaitIn(*analysis.kernel))
    throw NeedsFibers{};
}

/// Needs nothing. Promises `gridIds`.
void seeGridIds(Analysis &analysis) { findGridIds(*analysis.kernel, analysis.gridIds); }

/// Needs `gridIds`. Promises `spansBlocks`.
void seeSpans(Analysis &analysis) {
  analysis.spansBlocks = !analysis.usesFibers && canSpanBlocks(*analysis.kernel, analysis.gridIds);
}

/// Needs `gridIds` and `spansBlocks`. Promises `stridedLoops` and the kernel's liveness; none with fibers. A kernel
/// that spans blocks is one such loop as a whole, or has none.
void seeStridedLoops(Analysis &analysis) {
  if (analysis.usesFibers || analysis.options.optimization == 0)
    return;
  const TypedFunction &kernel = *analysis.kernel;
  analysis.liveness = findLiveness(kernel, true);
  std::vector<StridedLoop> loops = findStridedLoops(kernel, *analysis.liveness, &analysis.gridIds);
  if (!analysis.spansBlocks || (loops.size() == 1 && isAllOf(loops.front(), kernel)))
    analysis.stridedLoops = std::move(loops);
}

/// Needs `waiting`. Promises `streamed`; none where threads wait for others while the kernel runs: what goes past the
/// caches is in order only at its end.
void seeStreams(Analysis &analysis) {
  const TypedFunction &kernel = *analysis.kernel;
  if (!analysis.usesFibers && !analysis.waiting->any() && !kernel.hasGridBarrier)
    analysis.streamed = onlyStoredParameters(kernel);
}

/// Needs nothing. Promises `divergentBarriers`.
void seeDivergence(Analysis &analysis) { analysis.divergentBarriers = findDivergentBarriers(*analysis.kernel); }

/// Needs nothing. Promises `ranges`.
void seeRanges(Analysis &analysis) {
  analysis.ranges = findRanges(*analysis.kernel, {analysis.facts, analysis.options.maxThreadsPerBlock});
}

constexpr Pass ptxPasses[] = {
    {"overlap", seeOverlap}, {"waiting loops", seeWaiting},         {"grid ids", seeGridIds},
    {"ranges", seeRanges},   {"divergent barriers", seeDivergence},
};

constexpr Pass cpuPasses[] = {
    {"barrier statements", makeStatements},
    {"overlap", seeOverlap},
    {"waiting loops", seeWaiting},
    {"fibers", requireFibers},
    {"grid ids", seeGridIds},
    {"block spans", seeSpans},
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
