// Finds loops over the bits of a number.
#include "codegen/cpu/machine/bit_loops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace treadle::codegen {

namespace {

constexpr unsigned mostRounds = 64, mostInstructions = 24;

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

} // namespace

void unrollBitLoops(const LoopInfo &loops, ScalarEvolution &evolution) {
  for (Loop *loop : loops.getLoopsInPreorder()) {
    const BasicBlock &body = *loop->getHeader();
    if (loop->getNumBlocks() != 1 || body.size() > mostInstructions || !all_of(body, isOfBits) || !shiftsItsOwn(body))
      continue;
    const unsigned rounds = evolution.getSmallConstantTripCount(loop);
    if (rounds != 0 && rounds <= mostRounds)
      addStringMetadataToLoop(loop, "llvm.loop.unroll.full");
  }
}

} // namespace treadle::codegen
