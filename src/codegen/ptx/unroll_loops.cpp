// Finds short loops and makes LLVM unroll them; LLVM's own heuristic considers only size.
#include "codegen/ptx/unroll_loops.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

namespace treadle::codegen::ptx {

using namespace llvm;

namespace {

constexpr unsigned iterations = 4;
/// In LLVM instructions. Longer bodies gain little and use more registers.
constexpr unsigned longestBody = 64;

/// Convergent calls must not be copied, and atomic operations take longer than what unrolling saves.
bool isPlain(const Instruction &instruction) {
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return call->doesNotAccessMemory() && !call->isConvergent();
  return !instruction.isAtomic() && !instruction.isVolatile();
}

/// Without a load there is no latency that several iterations in flight would hide.
bool hasShortBody(const Loop &loop) {
  unsigned size = 0, loads = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      if (!isPlain(instruction) || ++size > longestBody)
        return false;
      loads += isa<LoadInst>(instruction);
    }
  return loads > 0;
}

/// A trip count that is computable before the loop without a division, as the step is constant. 32 bits only, since
/// 64-bit indices take twice the registers.
bool hasPlainTripCount(const Loop &loop, ScalarEvolution &evolution) {
  const SCEV *count = evolution.getBackedgeTakenCount(&loop);
  return !isa<SCEVCouldNotCompute>(count) && !isa<SCEVConstant>(count) &&
         evolution.getTypeSizeInBits(count->getType()) <= 32 &&
         !SCEVExprContains(count, [](const SCEV *part) { return isa<SCEVUDivExpr>(part); });
}

} // namespace

/// Only loops whose single exit is at the latch, which rotation has made of all counted loops. Unrolling needs
/// simplified loops in LCSSA form; both are made for these loops only.
PreservedAnalyses UnrollLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty())
    return PreservedAnalyses::all();
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  auto &target = analyses.getResult<TargetIRAnalysis>(function);
  auto &remarks = analyses.getResult<OptimizationRemarkEmitterAnalysis>(function);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->getLoopLatch() || loop->getExitingBlock() != loop->getLoopLatch() ||
        !hasShortBody(*loop) || !hasPlainTripCount(*loop, evolution))
      continue;
    changed |= simplifyLoop(loop, &tree, &loops, &evolution, &assumptions, nullptr, /*PreserveLCSSA=*/false);
    changed |= formLCSSARecursively(*loop, tree, &loops, &evolution);
    // Iterations that are left over run in a loop of their own.
    const UnrollLoopOptions options{.Count = iterations,
                                    .Force = false,
                                    .Runtime = true,
                                    .AllowExpensiveTripCount = false,
                                    .UnrollRemainder = false,
                                    .ForgetAllSCEV = false};
    changed |= UnrollLoop(loop, options, &loops, &evolution, &tree, &assumptions, &target, &remarks,
                          /*PreserveLCSSA=*/true) != LoopUnrollResult::Unmodified;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace treadle::codegen::ptx
