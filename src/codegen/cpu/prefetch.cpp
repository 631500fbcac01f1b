// prefetch: which loads, and how many iterations ahead.
#include "codegen/cpu/prefetch.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <algorithm>

using namespace llvm;

namespace treadle::codegen {

namespace {

/// Steps in bytes from which on hardware does not look ahead: it stops at the end of a page.
constexpr uint64_t longStep = 2048;

constexpr uint64_t lineBytes = 64;

/// About what passes while a line comes from memory.
constexpr unsigned instructionsAhead = 400;

struct LongStep {
  LoadInst *load;
  const SCEVAddRecExpr *address;
  uint64_t bytes;
};

unsigned iterationsAhead(const Loop &loop) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    size += unsigned(block->size());
  return std::clamp(instructionsAhead / std::max(size, 1u), 4u, 32u);
}

bool isLong(const SCEV &step) {
  const auto *constant = dyn_cast<SCEVConstant>(&step);
  return !constant || constant->getAPInt().abs().uge(longStep);
}

std::vector<LongStep> findLongSteps(Function &function, const LoopInfo &loops, ScalarEvolution &evolution) {
  std::vector<LongStep> found;
  DenseSet<const SCEV *> seen;
  for (BasicBlock &block : function) {
    const Loop *loop = loops.getLoopFor(&block);
    if (!loop)
      continue;
    for (Instruction &instruction : block) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load || !load->getType()->isVectorTy())
        continue;
      const auto *address = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(load->getPointerOperand()));
      if (address && address->getLoop() == loop && address->isAffine() &&
          isLong(*address->getStepRecurrence(evolution)) && seen.insert(address).second)
        found.push_back({load, address, load->getType()->getPrimitiveSizeInBits() / 8});
    }
  }
  return found;
}

} // namespace

void prefetchLongSteps(Function &function, const LoopInfo &loops, ScalarEvolution &evolution) {
  SCEVExpander expander(evolution, function.getParent()->getDataLayout(), "prefetch");
  for (const auto &[load, address, bytes] : findLongSteps(function, loops, evolution)) {
    const SCEV *step = address->getStepRecurrence(evolution);
    const SCEV *distance =
        evolution.getMulExpr(evolution.getConstant(step->getType(), iterationsAhead(*address->getLoop())), step);
    if (!expander.isSafeToExpandAt(distance, load))
      continue;
    IRBuilder<> b(load);
    Value *place =
        b.CreateGEP(b.getInt8Ty(), load->getPointerOperand(), expander.expandCodeFor(distance, step->getType(), load));
    // The last byte as well: rows begin anywhere in a line.
    for (uint64_t offset = 0; offset < bytes + lineBytes; offset += lineBytes) {
      Value *line = b.CreateConstGEP1_64(b.getInt8Ty(), place, std::min(offset, bytes - 1));
      b.CreateIntrinsic(Intrinsic::prefetch, {line->getType()},
                        {line, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
    }
  }
}

} // namespace treadle::codegen
