// Finds loops over the bits of a number, and over the columns of short rows.
#include "codegen/cpu/machine/unrolled_loops.h"

#include "codegen/cpu/lanes/strided_access.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace treadle::codegen {

namespace {

constexpr unsigned mostRoundsOfBits = 64, mostOfBits = 24;

/// Rounds of a loop over columns, and instructions once it is unrolled.
constexpr unsigned mostColumns = 8, mostUnrolled = 500;

/// The counter is added to a constant and compared.
bool isOfBits(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::PHI:
  case Instruction::ICmp:
  case Instruction::Br:
    return true;
  case Instruction::Add:
    return isa<Constant>(instruction.getOperand(1)) && !instruction.getType()->isVectorTy();
  default:
    return false;
  }
}

/// A shift of a variable that keeps its value from one round for the next.
bool shiftsItsOwn(const BasicBlock &body) {
  return any_of(body, [](const Instruction &one) { return one.isShift() && isa<PHINode>(one.getOperand(0)); });
}

bool isLoopOverBits(const Loop &loop, unsigned rounds) {
  const BasicBlock &body = *loop.getHeader();
  return rounds <= mostRoundsOfBits && loop.getNumBlocks() == 1 && body.size() <= mostOfBits &&
         all_of(body, isOfBits) && shiftsItsOwn(body);
}

class Sizes {
public:
  explicit Sizes(ScalarEvolution &evolution) : evolution(evolution) {}

  /// 0: not known, or none.
  unsigned rounds(Loop &loop) {
    const auto [known, isNew] = counts.try_emplace(&loop, 0);
    if (isNew)
      known->second = evolution.getSmallConstantTripCount(&loop);
    return known->second;
  }

  /// Instructions of one round, with loops inside it as unrolled.
  uint64_t ofRound(Loop &loop) {
    uint64_t size = 0;
    for (const BasicBlock *block : loop.blocks())
      size += block->size();
    for (Loop *inner : loop.getSubLoops()) {
      uint64_t own = 0;
      for (const BasicBlock *block : inner->blocks())
        own += block->size();
      size += ofRound(*inner) * std::max(rounds(*inner), 1u) - own;
    }
    return size;
  }

private:
  ScalarEvolution &evolution;
  DenseMap<const Loop *, unsigned> counts;
};

/// Whether the address is that of the next element in each round.
bool isNext(const StridedAccess &access, const Loop &loop, ScalarEvolution &evolution) {
  const SCEV *address = evolution.getSCEV(access.first());
  while (const auto *steps = dyn_cast<SCEVAddRecExpr>(address)) {
    const auto *step = dyn_cast<SCEVConstant>(steps->getStepRecurrence(evolution));
    if (steps->getLoop() == &loop)
      return step && step->getAPInt().abs() == access.size();
    address = steps->getStart();
  }
  return false;
}

bool accessesRows(const Loop &loop, ScalarEvolution &evolution) {
  return any_of(loop.blocks(), [&](BasicBlock *block) {
    return any_of(*block, [&](Instruction &one) {
      const std::optional<StridedAccess> access = StridedAccess::of(one);
      return access && isNext(*access, loop, evolution);
    });
  });
}

} // namespace

void markUnrolledLoops(const LoopInfo &loops, ScalarEvolution &evolution) {
  Sizes sizes(evolution);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    const unsigned rounds = sizes.rounds(*loop);
    if (rounds == 0)
      continue;
    const bool isOverColumns =
        rounds <= mostColumns && sizes.ofRound(*loop) * rounds <= mostUnrolled && accessesRows(*loop, evolution);
    if (isOverColumns || isLoopOverBits(*loop, rounds))
      addStringMetadataToLoop(loop, "llvm.loop.unroll.full");
  }
}

} // namespace treadle::codegen
