// Atomic operations as LLVM instructions, or as compare-and-swap loops where there is none.
#include "codegen/atomics.h"

#include "support/error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Intrinsics.h"

#include <optional>

using namespace llvm;

namespace treadle::codegen {

namespace {

bool isFloat(const AtomicAction &action) { return action.operand->getType()->isFPOrFPVectorTy(); }

/// Hardware can add floats but not subtract them; adding the negative is equivalent, including signs of zero.
AtomicAction asAddition(IRBuilder<> &b, AtomicAction action) {
  if (action.op != AtomicOperation::Sub || !isFloat(action))
    return action;
  action.op = AtomicOperation::Add;
  action.operand = b.CreateFNeg(action.operand);
  return action;
}

/// The LLVM instruction with the same semantics, if there is one. Its float maximum drops NaN in memory.
std::optional<AtomicRMWInst::BinOp> instructionFor(const AtomicAction &action) {
  switch (action.op) {
  case AtomicOperation::Add:
    return isFloat(action) ? AtomicRMWInst::FAdd : AtomicRMWInst::Add;
  case AtomicOperation::Sub:
    return AtomicRMWInst::Sub;
  case AtomicOperation::And:
    return AtomicRMWInst::And;
  case AtomicOperation::Or:
    return AtomicRMWInst::Or;
  case AtomicOperation::Xor:
    return AtomicRMWInst::Xor;
  case AtomicOperation::Exchange:
    return AtomicRMWInst::Xchg;
  case AtomicOperation::Inc:
  case AtomicOperation::Dec: // LLVM expands these to loops whose first load is not atomic
    return std::nullopt;
  case AtomicOperation::Max:
  case AtomicOperation::NanMax:
    if (isFloat(action))
      return std::nullopt;
    return action.isSigned ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
  case AtomicOperation::Min:
  case AtomicOperation::NanMin:
    if (isFloat(action))
      return std::nullopt;
    return action.isSigned ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
  case AtomicOperation::CompareAndSwap:
    return std::nullopt;
  }
  failCheck("a known atomic operation", __FILE__, __LINE__);
}

/// `max` of a float keeps an element that is compared with NaN, or that is NaN; `nanmax` prefers the number.
Value *extreme(IRBuilder<> &b, const AtomicAction &action, Value *old, bool isMax) {
  Value *x = action.operand;
  if (!isFloat(action)) {
    const Intrinsic::ID id = isMax ? (action.isSigned ? Intrinsic::smax : Intrinsic::umax)
                                   : (action.isSigned ? Intrinsic::smin : Intrinsic::umin);
    return b.CreateBinaryIntrinsic(id, old, x);
  }
  if (action.op == AtomicOperation::NanMax || action.op == AtomicOperation::NanMin)
    return b.CreateBinaryIntrinsic(isMax ? Intrinsic::maxnum : Intrinsic::minnum, old, x);
  // Ordered comparison: if either is NaN the element stays unchanged.
  return b.CreateSelect(isMax ? b.CreateFCmpOGT(x, old) : b.CreateFCmpOLT(x, old), x, old);
}

} // namespace

bool hasNeutralOperand(AtomicOperation op, bool isFloat) {
  switch (op) {
  case AtomicOperation::Add:
  case AtomicOperation::Sub:
  case AtomicOperation::And:
  case AtomicOperation::Or:
  case AtomicOperation::Xor:
    return true;
  case AtomicOperation::Max:
  case AtomicOperation::Min:
  case AtomicOperation::NanMax:
  case AtomicOperation::NanMin:
    return !isFloat;
  case AtomicOperation::Exchange:
  case AtomicOperation::Inc:
  case AtomicOperation::Dec:
  case AtomicOperation::CompareAndSwap:
    return false;
  }
  failCheck("a known atomic operation", __FILE__, __LINE__);
}

namespace {

Constant *neutralFloat(llvm::Type *type, AtomicOperation op) {
  switch (op) {
  case AtomicOperation::Max:
  case AtomicOperation::Min: // no NaN: an element that is NaN stays
    return ConstantFP::getInfinity(type, op == AtomicOperation::Max);
  case AtomicOperation::NanMax:
  case AtomicOperation::NanMin: // no infinity, which would replace an element that is NaN
    return ConstantFP::getNaN(type);
  default:
    return ConstantFP::getNegativeZero(type);
  }
}

} // namespace

/// 0 is that of sums, `or` and `xor` of integers.
Constant *neutralOperand(llvm::Type *type, AtomicOperation op, bool isSigned) {
  if (type->isFloatingPointTy())
    return neutralFloat(type, op);
  const unsigned bits = type->getIntegerBitWidth();
  switch (op) {
  case AtomicOperation::And:
    return ConstantInt::get(type, APInt::getAllOnes(bits));
  case AtomicOperation::Max:
  case AtomicOperation::NanMax:
    return ConstantInt::get(type, isSigned ? APInt::getSignedMinValue(bits) : APInt::getZero(bits));
  case AtomicOperation::Min:
  case AtomicOperation::NanMin:
    return ConstantInt::get(type, isSigned ? APInt::getSignedMaxValue(bits) : APInt::getAllOnes(bits));
  default:
    return ConstantInt::get(type, 0);
  }
}

/// `inc` and `dec` are CUDA's, and compare without a sign: counters from 0 to the operand, which then wrap. Integers
/// wrap.
Value *updatedByAtomic(IRBuilder<> &b, const AtomicAction &action, Value *old) {
  Value *x = action.operand;
  switch (action.op) {
  case AtomicOperation::Add:
    return isFloat(action) ? b.CreateFAdd(old, x) : b.CreateAdd(old, x);
  case AtomicOperation::Sub:
    return isFloat(action) ? b.CreateFSub(old, x) : b.CreateSub(old, x);
  case AtomicOperation::And:
    return b.CreateAnd(old, x);
  case AtomicOperation::Or:
    return b.CreateOr(old, x);
  case AtomicOperation::Xor:
    return b.CreateXor(old, x);
  case AtomicOperation::Exchange:
    return x;
  case AtomicOperation::Inc: {
    Value *zero = Constant::getNullValue(x->getType()), *one = ConstantInt::get(x->getType(), 1);
    return b.CreateSelect(b.CreateICmpUGE(old, x), zero, b.CreateAdd(old, one));
  }
  case AtomicOperation::Dec: {
    Value *zero = Constant::getNullValue(x->getType()), *one = ConstantInt::get(x->getType(), 1);
    return b.CreateSelect(b.CreateOr(b.CreateICmpEQ(old, zero), b.CreateICmpUGT(old, x)), x, b.CreateSub(old, one));
  }
  case AtomicOperation::Max:
  case AtomicOperation::NanMax:
    return extreme(b, action, old, true);
  case AtomicOperation::Min:
  case AtomicOperation::NanMin:
    return extreme(b, action, old, false);
  case AtomicOperation::CompareAndSwap:
    return b.CreateSelect(b.CreateICmpEQ(old, action.compare), x, old);
  }
  failCheck("a known atomic operation", __FILE__, __LINE__);
}

namespace {

/// The element is aligned to its size, without which there are no atomic instructions.
Value *compareAndSwap(IRBuilder<> &b, Value *address, Value *seen, Value *made) {
  const Align alignment(seen->getType()->getPrimitiveSizeInBits() / 8);
  Value *swapped =
      b.CreateAtomicCmpXchg(address, seen, made, alignment, AtomicOrdering::Monotonic, AtomicOrdering::Monotonic);
  return b.CreateExtractValue(swapped, 0);
}

} // namespace

/// Compares bits, also of floats: an element that is NaN differs from itself, and would be retried forever, while -0.0
/// is equal to 0.0, whose replacement would lose the sign. The first load is atomic, so that it does not see half of a
/// store; a wrong guess costs one more round.
Value *emitAtomicLoop(IRBuilder<> &b, const AtomicAction &given, Value *address, CompareAndSwap swap) {
  const AtomicAction action = asAddition(b, given);
  llvm::Type *type = action.operand->getType();
  llvm::Type *word = b.getIntNTy(type->getPrimitiveSizeInBits());
  const Align alignment(type->getPrimitiveSizeInBits() / 8);
  LoadInst *first = b.CreateAlignedLoad(word, address, alignment);
  first->setAtomic(AtomicOrdering::Monotonic);
  BasicBlock *before = b.GetInsertBlock();
  Function *function = before->getParent();
  BasicBlock *retry = BasicBlock::Create(b.getContext(), "retry", function);
  BasicBlock *done = BasicBlock::Create(b.getContext(), "swapped", function);
  b.CreateBr(retry);
  b.SetInsertPoint(retry);
  PHINode *seen = b.CreatePHI(word, 2);
  seen->addIncoming(first, before);
  Value *old = b.CreateBitCast(seen, type);
  Value *made = b.CreateBitCast(updatedByAtomic(b, action, old), word);
  Value *found = swap(b, address, seen, made);
  seen->addIncoming(found, retry);
  b.CreateCondBr(b.CreateICmpEQ(found, seen), done, retry);
  b.SetInsertPoint(done);
  return old;
}

/// Sums of floats are not: LLVM makes loops of them on the CPU.
bool isOneInstruction(const AtomicAction &action) {
  if (action.op == AtomicOperation::Inc || action.op == AtomicOperation::Dec)
    return false;
  return !isFloat(action) && (instructionFor(action) || action.op == AtomicOperation::CompareAndSwap);
}

Value *emitAtomic(IRBuilder<> &b, const AtomicAction &given, Value *address, bool isShared) {
  const AtomicAction action = asAddition(b, given);
  llvm::Type *type = action.operand->getType();
  const Align alignment(type->getPrimitiveSizeInBits() / 8);
  // Nothing can come in between: a load and a store, which LLVM may also merge with others.
  if (!isShared) {
    Value *old = b.CreateAlignedLoad(type, address, alignment);
    b.CreateAlignedStore(updatedByAtomic(b, action, old), address, alignment);
    return old;
  }
  if (const auto instruction = instructionFor(action))
    return b.CreateAtomicRMW(*instruction, address, action.operand, alignment, AtomicOrdering::Monotonic);
  if (action.op != AtomicOperation::CompareAndSwap)
    return emitAtomicLoop(b, action, address, compareAndSwap);
  Value *swapped = b.CreateAtomicCmpXchg(address, action.compare, action.operand, alignment, AtomicOrdering::Monotonic,
                                         AtomicOrdering::Monotonic);
  return b.CreateExtractValue(swapped, 0);
}

} // namespace treadle::codegen
