// roundings: from each rounding up through its operands.
#include "codegen/roundings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

#include <vector>

using namespace llvm;

namespace treadle::codegen {

namespace {

/// Quotients and square roots round alike as well, but are never fused with their users, so that LLVM's own pass does
/// them no harm.
bool roundsAlike(const Value &value) {
  const auto *operation = dyn_cast<BinaryOperator>(&value);
  return operation && (operation->getOpcode() == Instruction::FAdd || operation->getOpcode() == Instruction::FSub ||
                       operation->getOpcode() == Instruction::FMul);
}

bool isAbs(const Value &value) {
  const auto *call = dyn_cast<IntrinsicInst>(&value);
  return call && call->getIntrinsicID() == Intrinsic::fabs;
}

/// The narrowed form of one rounding.
class Narrowing {
public:
  Narrowing(FPTruncInst &rounding, MakeRounded make)
      : rounding(rounding), narrow(rounding.getType()), make(make), builder(&rounding) {}

  /// Whether there is an operation to narrow, together with all of its operands.
  bool isPossible() { return canNarrow(*rounding.getOperand(0)) && hasOperation; }

  /// The wide operations stay, without users, for LLVM's passes to drop.
  void run() {
    Value *made = narrowed(*rounding.getOperand(0));
    made->takeName(&rounding);
    rounding.replaceAllUsesWith(made);
    rounding.eraseFromParent();
  }

private:
  const fltSemantics &semantics() const { return narrow->getScalarType()->getFltSemantics(); }

  /// A number that the narrow type holds, or a phi of such numbers.
  /// A phi of phis is given up: it could depend on itself.
  bool isNarrow(const Value &value) const {
    if (const auto *paths = dyn_cast<PHINode>(&value))
      return all_of(paths->incoming_values(), [&](const Use &one) { return !isa<PHINode>(one) && isNarrow(*one); });
    if (const auto *widening = dyn_cast<FPExtInst>(&value))
      return widening->getSrcTy()->getScalarSizeInBits() <= narrow->getScalarSizeInBits();
    const APFloat *number = nullptr;
    if (!PatternMatch::match(&value, PatternMatch::m_APFloat(number)))
      return false;
    bool losesDigits = false;
    APFloat rounded = *number;
    rounded.convert(semantics(), APFloat::rmNearestTiesToEven, &losesDigits);
    return !losesDigits;
  }

  /// With a single use: otherwise the wide operation stays, and the narrow one comes on top of it.
  bool canNarrow(const Value &value) {
    if (isNarrow(value))
      return true;
    const auto *instruction = dyn_cast<Instruction>(&value);
    if (!instruction || !instruction->hasOneUse())
      return false;
    if (roundsAlike(value)) {
      // With twice the digits and one more, a sum or product that is rounded twice is as if rounded once.
      const bool rounds = APFloat::semanticsPrecision(value.getType()->getScalarType()->getFltSemantics()) >=
                          2 * APFloat::semanticsPrecision(semantics()) + 1;
      hasOperation = true;
      return rounds && isNarrow(*instruction->getOperand(0)) && isNarrow(*instruction->getOperand(1));
    }
    if (instruction->getOpcode() == Instruction::FNeg || isAbs(value))
      return canNarrow(*instruction->getOperand(0));
    const auto *choice = dyn_cast<SelectInst>(instruction);
    return choice && canNarrow(*choice->getTrueValue()) && canNarrow(*choice->getFalseValue());
  }

  /// Each instruction keeps the flags of the one that it replaces.
  Value *narrowed(Value &value) {
    if (auto *widening = dyn_cast<FPExtInst>(&value))
      return builder.CreateFPExt(widening->getOperand(0), narrow);
    if (isa<Constant>(value))
      return builder.CreateFPTrunc(&value, narrow);
    if (auto *paths = dyn_cast<PHINode>(&value))
      return narrowedPaths(*paths);
    auto &instruction = cast<Instruction>(value);
    const IRBuilder<>::FastMathFlagGuard guard(builder);
    builder.setFastMathFlags(cast<FPMathOperator>(instruction).getFastMathFlags());
    if (auto *choice = dyn_cast<SelectInst>(&instruction)) {
      Value *then = narrowed(*choice->getTrueValue());
      return builder.CreateSelect(choice->getCondition(), then, narrowed(*choice->getFalseValue()));
    }
    Value *first = narrowed(*instruction.getOperand(0));
    if (instruction.getOpcode() == Instruction::FNeg)
      return builder.CreateFNeg(first);
    if (isAbs(instruction))
      return builder.CreateUnaryIntrinsic(Intrinsic::fabs, first);
    return make(builder, instruction.getOpcode(), first, narrowed(*instruction.getOperand(1)));
  }

  /// Values are converted at the ends of the blocks that they come from, where alone they are known to be available.
  Value *narrowedPaths(PHINode &paths) {
    const IRBuilder<>::InsertPointGuard guard(builder);
    builder.SetInsertPoint(&paths);
    PHINode *made = builder.CreatePHI(narrow, paths.getNumIncomingValues());
    for (const auto &[value, block] : zip_equal(paths.incoming_values(), paths.blocks())) {
      builder.SetInsertPoint(block->getTerminator());
      made->addIncoming(narrowed(*value), block);
    }
    return made;
  }

  FPTruncInst &rounding;
  llvm::Type *narrow;
  MakeRounded make;
  IRBuilder<> builder;
  bool hasOperation = false;
};

} // namespace

/// Collected first: `run` inserts and erases instructions.
void narrowRounded(Function &function, MakeRounded make) {
  std::vector<FPTruncInst *> roundings;
  for (Instruction &instruction : instructions(function))
    if (auto *rounding = dyn_cast<FPTruncInst>(&instruction))
      roundings.push_back(rounding);
  for (FPTruncInst *rounding : roundings)
    if (Narrowing narrowing(*rounding, make); narrowing.isPossible())
      narrowing.run();
}

Value *makeUnfused(IRBuilder<> &builder, unsigned opcode, Value *left, Value *right) {
  Value *made = builder.CreateBinOp(Instruction::BinaryOps(opcode), left, right);
  if (auto *instruction = dyn_cast<Instruction>(made))
    // Fused with another operation, it would not be rounded.
    instruction->setHasAllowContract(false);
  return made;
}

} // namespace treadle::codegen
