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

/// Steps, in bytes, from which on hardware does not prefetch: it stops at the end of a page.
constexpr uint64_t longStep = 2048;

constexpr uint64_t lineBytes = 64;

constexpr const char *ofOneLane = "treadle.lane";

/// About the time in which a line comes from memory.
constexpr unsigned instructionsAhead = 400;

struct LongStep {
  LoadInst *load;
  const SCEV *distance; ///< in bytes, to the address that is prefetched
  uint64_t bytes;
};

bool isLong(const SCEV &step) {
  const auto *constant = dyn_cast<SCEVConstant>(&step);
  return !constant || constant->getAPInt().abs().uge(longStep);
}

class Search {
public:
  Search(Function &function, const LoopInfo &loops, ScalarEvolution &evolution)
      : function(function), loops(loops), evolution(evolution) {}

  std::vector<LongStep> run() {
    std::vector<LongStep> found;
    DenseSet<const SCEV *> seen;
    for (BasicBlock &block : function) {
      const Loop *loop = loops.getLoopFor(&block);
      if (!loop)
        continue;
      for (Instruction &instruction : block) {
        auto *load = dyn_cast<LoadInst>(&instruction);
        if (!load || !load->getType()->isVectorTy() || load->hasMetadata(ofOneLane))
          continue;
        const SCEV *address = evolution.getSCEV(load->getPointerOperand());
        if (!seen.insert(address).second)
          continue;
        if (const SCEV *distance = distanceAhead(address, loop))
          found.push_back({load, distance, load->getType()->getPrimitiveSizeInBits() / 8});
      }
    }
    return found;
  }

private:
  /// For the innermost enclosing loop with a long step: loops inside it access adjacent memory.
  const SCEV *distanceAhead(const SCEV *address, const Loop *loop) {
    for (const Loop *inner = nullptr; loop; inner = loop, loop = loop->getParentLoop()) {
      const SCEVAddRecExpr *steps = stepsIn(address, loop);
      if (!steps)
        continue;
      const SCEV *step = steps->getStepRecurrence(evolution);
      if (isLong(*step))
        return evolution.getMulExpr(evolution.getConstant(step->getType(), iterationsAhead(*loop, inner)), step);
      address = steps->getStart();
    }
    return nullptr;
  }

  /// The term of a sum that changes with the loop.
  static const SCEVAddRecExpr *stepsIn(const SCEV *address, const Loop *loop) {
    const auto *steps = dyn_cast<SCEVAddRecExpr>(address);
    if (const auto *sum = dyn_cast<SCEVAddExpr>(address))
      for (const SCEV *operand : sum->operands())
        if (const auto *part = dyn_cast<SCEVAddRecExpr>(operand); part && part->getLoop() == loop)
          steps = part;
    return steps && steps->getLoop() == loop && steps->isAffine() ? steps : nullptr;
  }

  static unsigned iterationsAhead(const Loop &loop, const Loop *inner) {
    if (inner)
      return 1;
    unsigned size = 0;
    for (const BasicBlock *block : loop.blocks())
      size += unsigned(block->size());
    return std::clamp(instructionsAhead / std::max(size, 1u), 4u, 32u);
  }

  Function &function;
  const LoopInfo &loops;
  ScalarEvolution &evolution;
};

} // namespace

void markLaneLoad(LoadInst &load) { load.setMetadata(ofOneLane, MDNode::get(load.getContext(), {})); }

void prefetchLongSteps(Function &function, const LoopInfo &loops, ScalarEvolution &evolution) {
  SCEVExpander expander(evolution, function.getParent()->getDataLayout(), "prefetch");
  for (const auto &[load, distance, bytes] : Search(function, loops, evolution).run()) {
    if (!expander.isSafeToExpandAt(distance, load))
      continue;
    IRBuilder<> b(load);
    Value *place = b.CreateGEP(b.getInt8Ty(), load->getPointerOperand(),
                               expander.expandCodeFor(distance, distance->getType(), load));
    // The last byte as well: rows begin anywhere in a line.
    for (uint64_t offset = 0; offset < bytes + lineBytes; offset += lineBytes) {
      Value *line = b.CreateConstGEP1_64(b.getInt8Ty(), place, std::min(offset, bytes - 1));
      b.CreateIntrinsic(Intrinsic::prefetch, {line->getType()}, {line, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
    }
  }
}

} // namespace treadle::codegen
