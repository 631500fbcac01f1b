// WarpLanes: atomic operations. Lanes that may access the same element are serialised.
#include "codegen/cpu/lanes/lane_table.h"
#include "codegen/cpu/lanes/lane_words.h"
#include "codegen/cpu/lanes/warp_lanes.h"

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

/// Lanes per iteration of the loop over all of them: of long code, and of plain updates. 32 of those in line take up to
/// 14 times as long as 8 in a loop on Zen 4 (model 17), unless their addresses are predictable.
constexpr unsigned lanesPerTurn = 4, updatesPerTurn = 8;

/// Under a mask the loop goes from bit to bit, without a branch for lanes that are not active: some lane is. Without a
/// mask it counts, a few lanes at a time.
void WarpLanes::forEachLane(LaneCode code, function_ref<void(Value *)> body) {
  IRBuilder<> &b = e->builder;
  AllocaInst *left = entryAlloca(b.getInt32Ty(), "lanes.left");
  BasicBlock *head = e->newBlock("lane"), *done = e->newBlock("lanes.done");
  b.CreateStore(mask ? bitsOf(b, mask) : b.getInt32(0), left);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  Value *state = b.CreateLoad(b.getInt32Ty(), left), *rest = nullptr, *more = nullptr;
  if (mask) {
    body(b.CreateBinaryIntrinsic(Intrinsic::cttz, state, b.getTrue()));
    // The lowest bit is a lane that has had its turn.
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

/// LLVM would put the code of all turns in line, where it is short.
void keepLoop(BranchInst &latch) {
  LLVMContext &context = latch.getContext();
  MDNode *loop =
      MDNode::getDistinct(context, {nullptr, MDNode::get(context, MDString::get(context, "llvm.loop.unroll.disable"))});
  loop->replaceOperandWith(0, loop); // a loop's metadata begin with themselves
  latch.setMetadata(LLVMContext::MD_loop, loop);
}

} // namespace

/// A lane while its turn is emitted.
struct WarpLanes::LaneNumber {
  Value *number;       ///< i32
  unsigned inTurn = 0; ///< where lanes come in turns
};

/// The elements of a vector by lane number, each in a few instructions: values that are uniform, or computable from the
/// lane number, are not looked up; the others are extracted in turns, or a table has them, before any widening.
class WarpLanes::LaneElements {
public:
  LaneElements(WarpLanes &model, const Leaf &leaf) : model(model), b(model.e->builder), leaf(leaf) {
    if (leaf.isAffine() && model.program.settings.runLength != model.laneCount())
      this->leaf = model.splat(leaf);
    Value *vector = this->leaf.value;
    type = vector->getType()->getScalarType();
    if (this->leaf.isAffine() || !vector->getType()->isVectorTy())
      return;
    if (Value *same = getSplatValue(vector))
      this->leaf = same;
    else if (auto *places = dyn_cast<GetElementPtrInst>(vector); places && isOffset(*places))
      offsets = std::make_unique<LaneElements>(model, Leaf(places->getOperand(1)));
    else if (scaled(vector))
      return;
    else
      fill(vector);
  }

  Value *operator[](const LaneNumber &lane) const {
    if (leaf.isAffine())
      return alongLanes(lane.number);
    if (offsets) {
      auto *places = cast<GetElementPtrInst>(leaf.value);
      return b.CreateGEP(places->getSourceElementType(), places->getPointerOperand(), (*offsets)[lane]);
    }
    if (!elements)
      return leaf.value;
    Value *value = element(lane);
    return scale ? b.CreateMul(value, scale) : value;
  }

  void beginTable() {
    if (offsets)
      offsets->beginTable();
    if (elements)
      table.emplace(b, elements);
  }

  /// At the head of a loop over turns of lanes: the elements of the turn come first. Floats are looked up in a table:
  /// shuffles would compete with those for indices.
  void beginTurns(BasicBlock *before) {
    if (offsets)
      offsets->beginTurns(before);
    if (!elements)
      return;
    if (storedType->isFloatingPointTy()) {
      const IRBuilder<>::InsertPointGuard guard(b);
      b.SetInsertPoint(before->getTerminator());
      table.emplace(b, elements);
      return;
    }
    turn = b.CreatePHI(elements->getType(), 2);
    turn->addIncoming(elements, before);
    elements = turn;
  }

  void endTurn(unsigned lanes) {
    if (offsets)
      offsets->endTurn(lanes);
    if (!turn)
      return;
    SmallVector<int> next;
    for (unsigned lane = 0; lane < model.laneCount(); ++lane)
      next.push_back(int((lane + lanes) % model.laneCount()));
    turn->addIncoming(b.CreateShuffleVector(turn, next), b.GetInsertBlock());
  }

private:
  /// Pointers into one array, of which the offsets alone are looked up by lane.
  static bool isOffset(const GetElementPtrInst &places) {
    return places.getNumIndices() == 1 && !places.getPointerOperandType()->isVectorTy() &&
           places.getOperand(1)->getType()->isVectorTy();
  }

  Value *alongLanes(Value *lane) const {
    Value *offset = b.CreateMul(b.CreateZExtOrTrunc(lane, leaf.s0->getType()), leaf.s0);
    return type->isPointerTy() ? b.CreateGEP(b.getInt8Ty(), leaf.value, offset) : b.CreateAdd(leaf.value, offset);
  }

  Value *element(const LaneNumber &lane) const {
    if (const Narrowed narrow{elements, isSigned}; turn && narrow.fitsWords())
      return elementOfWord(b, narrow, lane.inTurn, type);
    // A load would wait for the store of the whole vector.
    Value *stored = turn ? b.CreateExtractElement(elements, uint64_t(lane.inTurn)) : table->read(lane.number);
    return storedType == type ? stored : isSigned ? b.CreateSExt(stored, type) : b.CreateZExt(stored, type);
  }

  /// A multiple of a narrower vector.
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
  }

  WarpLanes &model;
  IRBuilder<> &b;
  Leaf leaf;
  llvm::Type *type = nullptr, *storedType = nullptr;
  bool isSigned = true;
  Value *elements = nullptr, *scale = nullptr;
  std::optional<LaneTable> table; ///< where lanes do not come in turns
  PHINode *turn = nullptr;
  std::unique_ptr<LaneElements> offsets; ///< if the pointers are into one array
};

/// Calls `body` for all lanes in ascending order, with what they access out of registers.
void WarpLanes::inTurns(ArrayRef<LaneElements *> accessed, function_ref<void(const LaneNumber &)> body) {
  IRBuilder<> &b = e->builder;
  BasicBlock *before = b.GetInsertBlock(), *head = e->newBlock("lanes"), *done = e->newBlock("lanes.done");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  PHINode *first = b.CreatePHI(b.getInt32Ty(), 2);
  first->addIncoming(b.getInt32(0), before);
  for (LaneElements *elements : accessed)
    elements->beginTurns(before);
  for (unsigned lane = 0; lane < updatesPerTurn; ++lane)
    body({b.CreateAdd(first, b.getInt32(lane)), lane});
  for (LaneElements *elements : accessed)
    elements->endTurn(updatesPerTurn);
  Value *next = b.CreateAdd(first, b.getInt32(updatesPerTurn));
  first->addIncoming(next, b.GetInsertBlock());
  keepLoop(*b.CreateCondBr(b.CreateICmpULT(next, b.getInt32(laneCount())), head, done));
  b.SetInsertPoint(done);
}

namespace {

/// The combined operands of all active lanes, if that is equivalent; else nullptr. The order of float additions is
/// unspecified, as on a GPU.
Value *combineLanes(Emitter &e, const LaneModel::AtomicUpdate &update, Value *vector, Value *mask) {
  IRBuilder<> &b = e.builder;
  llvm::Type *type = vector->getType();
  const bool isFloat = type->isFPOrFPVectorTy(), isSigned = update.element->isSigned();
  if (!hasNeutralOperand(update.op, isFloat))
    return nullptr;
  Constant *neutral = neutralOperand(type->getScalarType(), update.op, isSigned);
  if (mask)
    vector = b.CreateSelect(mask, vector, b.CreateVectorSplat(cast<VectorType>(type)->getElementCount(), neutral));
  switch (update.op) {
  case AtomicOperation::And:
    return b.CreateAndReduce(vector);
  case AtomicOperation::Or:
    return b.CreateOrReduce(vector);
  case AtomicOperation::Xor:
    return b.CreateXorReduce(vector);
  case AtomicOperation::Max:
  case AtomicOperation::NanMax:
    return b.CreateIntMaxReduce(vector, isSigned);
  case AtomicOperation::Min:
  case AtomicOperation::NanMin:
    return b.CreateIntMinReduce(vector, isSigned);
  default:
    if (!isFloat)
      return b.CreateAddReduce(vector);
  }
  // Otherwise LLVM would add one lane after the other.
  auto *sum = cast<Instruction>(b.CreateFAddReduce(neutral, vector));
  sum->setHasAllowReassoc(true);
  return sum;
}

} // namespace

/// Whether it lies in the worker's copy of a table.
/// Only through the parameter itself, as workerTables() has found that nothing else refers to it.
bool WarpLanes::isCopied(const Address &address) const {
  const TypedFunction &kernel = *program.analysis.kernel;
  return std::ranges::any_of(program.analysis.tables, [&](const WorkerTable &table) {
    return address.slot && kernel.slots[table.parameter] == address.slot;
  });
}

/// Adjacent elements in shared memory: no two lanes access the same one, and neither does another host thread.
bool WarpLanes::isApart(const AtomicUpdate &update, const Leaf &where) const {
  auto *stride =
      where.isAffine() && program.settings.runLength == laneCount() ? dyn_cast<ConstantInt>(where.s0) : nullptr;
  return (update.address.space == Space::Shared || isCopied(update.address)) && stride &&
         stride->getZExtValue() == update.element->bytes();
}

/// Lanes take turns in ascending order.
/// From the cheapest way that applies: one vector for elements that no other lane touches, one operation for all lanes
/// at one element, and a loop over the lanes, each of which then sees what those before it have done.
Lanes WarpLanes::atomic(const AtomicUpdate &update) {
  IRBuilder<> &b = e->builder;
  const Address &address = update.address;
  const Leaf where = address.place.everywhere();
  const bool isUniformAddress = isUniform(where);
  // A block runs on one host thread, so its shared memory needs no locked instructions, nor does a worker's copy.
  const bool isShared = address.space != Space::Shared && address.space != Space::Local && !isCopied(address);
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
  LaneElements operands(*this, update.value), pointers(*this, where);
  std::optional<LaneElements> compare;
  SmallVector<LaneElements *, 3> all{&operands, &pointers};
  if (update.compare.value)
    all.push_back(&compare.emplace(*this, update.compare));
  llvm::Type *type = e->llvmType(update.element);
  std::optional<LaneTable> old;
  if (update.isUsed)
    old.emplace(b, Constant::getNullValue(vectorOf(type)), "old");
  // What retries is a loop of its own, too long to be repeated for each lane of a turn.
  const bool isShort = !isShared || isOneInstruction({update.op, isSigned, splat(update.value)});
  noteFallback("atomic, lane by lane");
  const auto updateLane = [&](const LaneNumber &lane) {
    AtomicAction action{update.op, isSigned, operands[lane]};
    if (compare)
      action.compare = (*compare)[lane];
    Value *before = emitAtomic(b, action, pointers[lane], isShared);
    if (old)
      old->write(lane.number, before);
  };
  if (isShort && !mask) {
    inTurns(all, updateLane);
  } else {
    for (LaneElements *elements : all)
      elements->beginTable();
    forEachLane(LaneCode::Usual, [&](Value *lane) { updateLane({lane}); });
  }
  return old ? Lanes{Leaf(old->all())} : Lanes();
}

} // namespace treadle::codegen
