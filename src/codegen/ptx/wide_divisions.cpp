// WideDivisions: on LLVM IR, after all other passes.
#include "codegen/ptx/wide_divisions.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"

namespace treadle::codegen::ptx {

using namespace llvm;

namespace {

constexpr unsigned widest = 64;

/// Closed forms of sums multiply two numbers and divide by 2: for a loop counted in 32 bits, the known bits show that
/// 64 are enough.
bool fits(const Value *value, const DataLayout &layout) {
  return computeKnownBits(value, layout).countMaxActiveBits() <= widest;
}

/// Unsigned only: for those, a zero extension of operands and result changes nothing.
void narrow(BinaryOperator &division) {
  IRBuilder<> b(&division);
  auto operand = [&](unsigned i) { return b.CreateTrunc(division.getOperand(i), b.getInt64Ty()); };
  Value *result = b.CreateBinOp(division.getOpcode(), operand(0), operand(1));
  division.replaceAllUsesWith(b.CreateZExt(result, division.getType()));
  division.eraseFromParent();
}

} // namespace

/// Collected first, as expansion inserts blocks and erases the instruction.
PreservedAnalyses WideDivisions::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<BinaryOperator *> divisions;
  for (Instruction &instruction : instructions(function))
    if (instruction.isIntDivRem() && instruction.getType()->getScalarSizeInBits() > widest)
      divisions.push_back(cast<BinaryOperator>(&instruction));
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (BinaryOperator *division : divisions) {
    const bool isUnsigned = division->getOpcode() == Instruction::UDiv || division->getOpcode() == Instruction::URem;
    if (isUnsigned && fits(division->getOperand(0), layout) && fits(division->getOperand(1), layout))
      narrow(*division);
    else if (division->getOpcode() == Instruction::UDiv || division->getOpcode() == Instruction::SDiv)
      expandDivision(division);
    else
      expandRemainder(division);
  }
  return divisions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace treadle::codegen::ptx
