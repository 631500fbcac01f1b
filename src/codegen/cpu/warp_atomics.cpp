// WarpLanes: atomic operations. Lanes that may access the same place are handled one after the other.
#include "codegen/cpu/warp_lanes.h"

#include "border/kernel_abi.h"
#include "codegen/atomics.h"
#include "support/error.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <optional>

using namespace llvm;

namespace treadle::codegen {

/// Lanes per iteration of the loop over all of them.
constexpr unsigned lanesPerTurn = 4;

void WarpLanes::forEachLane(LaneCode code, function_ref<void(Value *)> body) {
  IRBuilder<> &b = e->builder;
  if (code == LaneCode::Short && !mask) {
    for (unsigned lane = 0; lane < laneCount(); ++lane)
      body(b.getInt32(lane));
    return;
  }
  AllocaInst *left = entryAlloca(b.getInt32Ty(), "lanes.left");
  BasicBlock *head = e->newBlock("lane"), *done = e->newBlock("lanes.done");
  b.CreateStore(mask ? bitsOf(b, mask) : b.getInt32(0), left);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  Value *state = b.CreateLoad(b.getInt32Ty(), left), *rest = nullptr, *more = nullptr;
  if (mask) {
    body(b.CreateBinaryIntrinsic(Intrinsic::cttz, state, b.getTrue()));
    rest = b.CreateAnd(state, b.CreateSub(state, b.getInt32(1)));
    more = b.CreateICmpNE(rest, b.getInt32(0));
  } else {
    const unsigned turn = code == LaneCode::Long ? 1 : lanesPerTurn;
    for (unsigned i = 0; i < turn; ++i)
      body(b.CreateAdd(state, b.getInt32(i)));
    rest = b.CreateAdd(state, b.getInt32(turn));
    more = b.CreateICmpULT(rest, b.getInt32(laneCount()));
  }
  b.CreateStore(rest, left);
  b.CreateCondBr(more, head, done);
  b.SetInsertPoint(done);
}

namespace {

/// A vector of integers from which widening makes the elements of another one.
struct Narrowed {
  Value *vector;
  bool isSigned;
  unsigned bits() const { return vector->getType()->getScalarSizeInBits(); }
};

} // namespace

/// Looks through conversions that keep every value.
static Narrowed narrowed(Value *vector) {
  if (auto *zext = dyn_cast<ZExtInst>(vector))
    return {zext->getOperand(0), false};
  auto *sext = dyn_cast<SExtInst>(vector);
  if (!sext)
    return {vector, true};
  const Narrowed whole{sext->getOperand(0), true};
  auto *trunc = dyn_cast<TruncInst>(whole.vector);
  const Narrowed inner = trunc ? narrowed(trunc->getOperand(0)) : whole;
  return inner.bits() + (inner.isSigned ? 0 : 1) <= whole.bits() ? inner : whole;
}

/// The elements of a vector by number, each in a few instructions: values that are the same in all lanes, or follow
/// from the lane's number, are not looked up; a table has the others, before any widening.
class WarpLanes::LaneTable {
public:
  LaneTable(WarpLanes &model, const Leaf &leaf) : model(model), b(model.e->builder), leaf(leaf) {
    if (leaf.isAffine() && model.program.settings.runLength != model.laneCount())
      this->leaf = model.splat(leaf);
    Value *vector = this->leaf.value;
    type = vector->getType()->getScalarType();
    if (this->leaf.isAffine() || !vector->getType()->isVectorTy())
      return;
    if (Value *same = getSplatValue(vector))
      this->leaf = same;
    else if (auto *places = dyn_cast<GetElementPtrInst>(vector); places && isOffset(*places))
      offsets = std::make_unique<LaneTable>(model, Leaf(places->getOperand(1)));
    else if (scaled(vector))
      return;
    else
      fill(vector);
  }

  Value *operator[](Value *lane) const {
    if (leaf.isAffine())
      return alongLanes(lane);
    if (offsets)
      return b.CreateGEP(b.getInt8Ty(), cast<GetElementPtrInst>(leaf.value)->getPointerOperand(), (*offsets)[lane]);
    if (!table)
      return leaf.value;
    Value *value = element(lane);
    return scale ? b.CreateMul(value, scale) : value;
  }

private:
  static bool isOffset(const GetElementPtrInst &places) {
    return places.getNumIndices() == 1 && places.getSourceElementType()->isIntegerTy(8) &&
           !places.getPointerOperandType()->isVectorTy() && places.getOperand(1)->getType()->isVectorTy();
  }

  Value *alongLanes(Value *lane) const {
    Value *offset = b.CreateMul(b.CreateZExtOrTrunc(lane, leaf.s0->getType()), leaf.s0);
    return type->isPointerTy() ? b.CreateGEP(b.getInt8Ty(), leaf.value, offset) : b.CreateAdd(leaf.value, offset);
  }

  Value *element(Value *lane) const {
    auto *number = dyn_cast<ConstantInt>(lane);
    if (number && storedType != type && storedType->getIntegerBitWidth() < 32)
      return ofWord(unsigned(number->getZExtValue()));
    // A load would wait for the whole vector's store.
    Value *stored = number ? b.CreateExtractElement(elements, lane) : b.CreateLoad(storedType, place(lane));
    return storedType == type ? stored : isSigned ? b.CreateSExt(stored, type) : b.CreateZExt(stored, type);
  }

  /// Out of a word of several: from a vector to a register goes one element in a cycle.
  Value *ofWord(unsigned lane) const {
    const unsigned bits = storedType->getIntegerBitWidth(), inWord = 64 / bits, shift = lane % inWord * bits;
    Value *words = b.CreateBitCast(elements, FixedVectorType::get(b.getInt64Ty(), model.laneCount() / inWord));
    Value *word = b.CreateExtractElement(words, uint64_t(lane / inWord));
    if (isSigned)
      return b.CreateSExtOrTrunc(b.CreateAShr(b.CreateShl(word, 64 - shift - bits), 64 - bits), type);
    return b.CreateZExtOrTrunc(b.CreateAnd(b.CreateLShr(word, shift), (uint64_t(1) << bits) - 1), type);
  }

  /// A multiple of something narrower.
  bool scaled(Value *vector) {
    auto *product = dyn_cast<llvm::BinaryOperator>(vector);
    if (!product || product->getOpcode() != Instruction::Mul)
      return false;
    scale = getSplatValue(product->getOperand(1));
    if (scale)
      fill(product->getOperand(0));
    return scale != nullptr;
  }

  void fill(Value *vector) {
    const Narrowed narrow = narrowed(vector);
    isSigned = narrow.isSigned;
    storedType = narrow.vector->getType()->getScalarType();
    elements = narrow.vector;
    table = model.entryAlloca(elements->getType(), "by.lane");
    b.CreateStore(elements, table);
  }

  Value *place(Value *lane) const { return b.CreateGEP(storedType, table, b.CreateZExt(lane, b.getInt64Ty())); }

  WarpLanes &model;
  IRBuilder<> &b;
  Leaf leaf;
  llvm::Type *type = nullptr, *storedType = nullptr;
  bool isSigned = true;
  Value *elements = nullptr, *scale = nullptr;
  AllocaInst *table = nullptr;
  std::unique_ptr<LaneTable> offsets; ///< if the pointers are into one array
};

/// The operands of all active lanes combined, if that is equivalent; else nullptr. The order of float additions is
/// unspecified, as on a GPU.
static Value *combineLanes(Emitter &e, const LaneModel::AtomicUpdate &update, Value *vector, Value *mask) {
  IRBuilder<> &b = e.builder;
  llvm::Type *type = vector->getType();
  const bool isFloat = type->isFPOrFPVectorTy(), isSigned = update.element->isSigned();
  const unsigned bits = type->getScalarSizeInBits();
  auto active = [&](const APInt &neutral) {
    return mask ? b.CreateSelect(mask, vector, ConstantInt::get(type, neutral)) : vector;
  };
  switch (update.op) {
  case AtomicOperation::Add:
  case AtomicOperation::Sub: {
    if (!isFloat)
      return b.CreateAddReduce(active(APInt::getZero(bits)));
    Value *zero = ConstantFP::getNegativeZero(type->getScalarType());
    Value *counted = mask ? b.CreateSelect(mask, vector, Constant::getNullValue(type)) : vector;
    auto *sum = cast<Instruction>(b.CreateFAddReduce(zero, counted));
    sum->setHasAllowReassoc(true);
    return sum;
  }
  case AtomicOperation::And:
    return b.CreateAndReduce(active(APInt::getAllOnes(bits)));
  case AtomicOperation::Or:
    return b.CreateOrReduce(active(APInt::getZero(bits)));
  case AtomicOperation::Xor:
    return b.CreateXorReduce(active(APInt::getZero(bits)));
  case AtomicOperation::Max:
  case AtomicOperation::NanMax:
    if (isFloat)
      return nullptr;
    return b.CreateIntMaxReduce(active(isSigned ? APInt::getSignedMinValue(bits) : APInt::getZero(bits)), isSigned);
  case AtomicOperation::Min:
  case AtomicOperation::NanMin:
    if (isFloat)
      return nullptr;
    return b.CreateIntMinReduce(active(isSigned ? APInt::getSignedMaxValue(bits) : APInt::getAllOnes(bits)), isSigned);
  default:
    return nullptr;
  }
}

/// Adjacent elements in shared memory: no two lanes access the same one, and no other thread of the host does.
bool WarpLanes::isApart(const AtomicUpdate &update, const Leaf &where) const {
  auto *stride =
      where.isAffine() && program.settings.runLength == laneCount() ? dyn_cast<ConstantInt>(where.s0) : nullptr;
  return update.address.space == Space::Shared && stride && stride->getZExtValue() == update.element->bytes();
}

/// Lanes take turns in ascending order.
Lanes WarpLanes::atomic(const AtomicUpdate &update) {
  IRBuilder<> &b = e->builder;
  const Address &address = update.address;
  const Leaf where = address.place.everywhere();
  const bool isUniformAddress = isUniform(where);
  // A block runs on one thread of the host, so its shared memory needs no locked instructions.
  const bool isShared = address.space != Space::Shared && address.space != Space::Local;
  const bool isSigned = update.element->isSigned();
  if (isApart(update, where)) {
    const Leaf old = load(update.element, address)[0];
    AtomicAction action{update.op, isSigned, splat(update.value)};
    if (update.compare.value)
      action.compare = splat(update.compare);
    store(update.element, address, {Leaf(updatedByAtomic(b, action, old.value))});
    return update.isUsed ? Lanes{old} : Lanes();
  }
  if (isUniformAddress && !update.isUsed)
    if (Value *combined = combineLanes(*e, update, splat(update.value), mask)) {
      emitAtomic(b, {update.op, isSigned, combined}, where.value, isShared);
      return {};
    }
  const LaneTable operands(*this, update.value), pointers(*this, where);
  std::optional<LaneTable> compare;
  if (update.compare.value)
    compare.emplace(*this, update.compare);
  llvm::Type *type = e->llvmType(update.element);
  AllocaInst *old = update.isUsed ? entryAlloca(vectorOf(type), "old") : nullptr;
  if (old)
    b.CreateStore(Constant::getNullValue(old->getAllocatedType()), old);
  const bool isShort = !isShared || isOneInstruction({update.op, isSigned, splat(update.value)});
  noteFallback("atomic, lane by lane");
  forEachLane(isShort ? LaneCode::Short : LaneCode::Usual, [&](Value *lane) {
    AtomicAction action{update.op, isSigned, operands[lane]};
    if (compare)
      action.compare = (*compare)[lane];
    Value *before = emitAtomic(b, action, pointers[lane], isShared);
    if (old)
      b.CreateStore(before, b.CreateGEP(type, old, b.CreateZExt(lane, b.getInt64Ty())));
  });
  return old ? Lanes{Leaf(b.CreateLoad(old->getAllocatedType(), old))} : Lanes();
}

} // namespace treadle::codegen
