// Late rewrites of optimised code into forms for which LLVM's x86 back end emits less machine code.
#include "codegen/cpu/machine/late_rewrites.h"

#include "codegen/cpu/lanes/lane_words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

#include <string>
#include <vector>

using namespace llvm;

namespace treadle::codegen {

namespace {

/// The maximum number of inline gathers in a module; calls spill and reload values in registers.
constexpr size_t gathersInLine = 6;

bool comparesHalves(const Instruction &instruction) {
  return isa<FCmpInst>(instruction) && instruction.getType()->isVectorTy() &&
         instruction.getOperand(0)->getType()->getScalarType()->isHalfTy();
}

/// Others are instructions of the processor: where it has none, no gather is emitted with a mask.
bool isWholeGather(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || call->getIntrinsicID() != Intrinsic::masked_gather)
    return false;
  auto *mask = dyn_cast<Constant>(call->getArgOperand(2));
  return mask && mask->isAllOnesValue();
}

/// Collected before any is changed: rewriting inserts instructions and functions.
template <class Test> std::vector<Instruction *> instructionsOf(Module &module, Test test) {
  std::vector<Instruction *> found;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (test(instruction))
        found.push_back(&instruction);
  return found;
}

/// A function of the module that is equivalent to the gather.
/// Found again by its name, which has all that distinguishes gathers. With the caller's attributes, so that vectors are
/// passed in the same registers.
Function *sharedGather(Module &module, const IntrinsicInst &gather) {
  Value *pointers = gather.getArgOperand(0), *alignment = gather.getArgOperand(1);
  auto *type = FunctionType::get(gather.getType(), {pointers->getType()}, false);
  std::string name = "gather." + std::to_string(gather.getType()->getScalarSizeInBits()) +
                     (gather.getType()->getScalarType()->isIntegerTy() ? "i." : "f.") +
                     std::to_string(cast<ConstantInt>(alignment)->getZExtValue());
  if (Function *made = module.getFunction(name))
    return made;
  Function *made = Function::Create(type, GlobalValue::InternalLinkage, name, module);
  const Function &caller = *gather.getFunction();
  for (const char *attribute :
       {"target-cpu", "target-features", "prefer-vector-width", "min-legal-vector-width", "no-trapping-math"})
    made->addFnAttr(caller.getFnAttribute(attribute));
  made->addFnAttr(Attribute::NoInline);
  made->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> b(BasicBlock::Create(module.getContext(), "", made));
  b.CreateRet(b.CreateMaskedGather(cast<VectorType>(gather.getType()), made->getArg(0),
                                   Align(cast<ConstantInt>(alignment)->getZExtValue())));
  return made;
}

} // namespace

/// Widening is exact, so comparisons have the same result, also of NaN and signed zeros.
void compareHalvesAsFloats(Module &module) {
  for (Instruction *compare : instructionsOf(module, comparesHalves)) {
    IRBuilder<> b(compare);
    Type *wide = VectorType::get(b.getFloatTy(), cast<VectorType>(compare->getType())->getElementCount());
    for (Use &operand : compare->operands())
      operand.set(b.CreateFPExt(operand.get(), wide));
  }
}

namespace {

std::vector<Instruction *> gathersWithoutInstructions(Module &module, unsigned least) {
  return instructionsOf(module, [&](const Instruction &instruction) {
    return isWholeGather(instruction) && instruction.getType()->getScalarSizeInBits() < least;
  });
}

/// A vector as a multiple of a narrower one.
struct Scaled {
  Narrowed narrow;
  Value *factor; ///< null: 1
};

Scaled scaled(Value *vector) {
  using namespace PatternMatch;
  Value *of = nullptr, *splat = nullptr;
  const APInt *count = nullptr;
  if (match(vector, m_Shl(m_Value(of), m_APInt(count))))
    return {narrowed(of), ConstantInt::get(vector->getType()->getScalarType(), uint64_t(1) << count->getZExtValue())};
  if (match(vector, m_Mul(m_Value(of), m_Value(splat))) && getSplatValue(splat))
    return {narrowed(of), getSplatValue(splat)};
  return {narrowed(vector), nullptr};
}

/// Null if the gather's addresses are not those of elements of one array with indices of at most 32 bits.
Value *loadedOneByOne(IntrinsicInst &gather) {
  auto *places = dyn_cast<GetElementPtrInst>(gather.getArgOperand(0));
  if (!places || places->getNumIndices() != 1 || places->getPointerOperandType()->isVectorTy())
    return nullptr;
  Value *index = places->getOperand(1);
  const Scaled offset = scaled(index);
  if (!index->getType()->isVectorTy() || !offset.narrow.fitsWords())
    return nullptr;
  IRBuilder<> b(&gather);
  auto *type = cast<FixedVectorType>(gather.getType());
  const Align alignment(cast<ConstantInt>(gather.getArgOperand(1))->getZExtValue());
  Value *all = PoisonValue::get(type);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Value *one = elementOfWord(b, offset.narrow, lane, index->getType()->getScalarType());
    one = offset.factor ? b.CreateMul(one, offset.factor) : one;
    Value *place = b.CreateGEP(places->getSourceElementType(), places->getPointerOperand(), one);
    all = b.CreateInsertElement(all, b.CreateAlignedLoad(type->getElementType(), place, alignment), lane);
  }
  return all;
}

} // namespace

void extractIndices(Module &module, unsigned least) {
  for (Instruction *gather : gathersWithoutInstructions(module, least))
    if (Value *loaded = loadedOneByOne(cast<IntrinsicInst>(*gather))) {
      gather->replaceAllUsesWith(loaded);
      gather->eraseFromParent();
    }
}

void shareGathers(Module &module, unsigned least) {
  const std::vector<Instruction *> gathers = gathersWithoutInstructions(module, least);
  if (gathers.size() <= gathersInLine)
    return;
  for (Instruction *gather : gathers) {
    IRBuilder<> b(gather);
    auto &call = cast<IntrinsicInst>(*gather);
    gather->replaceAllUsesWith(b.CreateCall(sharedGather(module, call), {call.getArgOperand(0)}));
    gather->eraseFromParent();
  }
}

} // namespace treadle::codegen
