// WarpModel: what is done one lane at a time, memory of the block and the thread, captured data, debug checks.
#include "codegen/cpu/warp_model.h"

#include "codegen/atomics.h"
#include "device/cpu/kernel_abi.h"
#include "support/error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

/// Local arrays up to this size, all lanes together, may live on the worker's stack.
constexpr uint64_t stackArrayBytes = 16384;

/// Lanes of a turn of the loop over all of them.
constexpr unsigned lanesPerTurn = 4;

void WarpModel::forEachLane(function_ref<void(Value *)> body) {
  IRBuilder<> &b = e->builder;
  AllocaInst *left = entryAlloca(b.getInt32Ty(), "lanes.left");
  BasicBlock *head = e->newBlock("lane"), *done = e->newBlock("lanes.done");
  b.CreateStore(mask ? b.CreateBitCast(mask, b.getInt32Ty()) : b.getInt32(0), left);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  Value *state = b.CreateLoad(b.getInt32Ty(), left), *rest = nullptr, *more = nullptr;
  if (mask) {
    body(b.CreateBinaryIntrinsic(Intrinsic::cttz, state, b.getTrue()));
    rest = b.CreateAnd(state, b.CreateSub(state, b.getInt32(1)));
    more = b.CreateICmpNE(rest, b.getInt32(0));
  } else {
    for (unsigned i = 0; i < lanesPerTurn; ++i)
      body(b.CreateAdd(state, b.getInt32(i)));
    rest = b.CreateAdd(state, b.getInt32(lanesPerTurn));
    more = b.CreateICmpULT(rest, b.getInt32(warpLanes));
  }
  b.CreateStore(rest, left);
  b.CreateCondBr(more, head, done);
  b.SetInsertPoint(done);
}

namespace {

/// A vector in memory: its elements by number, without a copy of all of them for each.
class LaneTable {
public:
  LaneTable(IRBuilder<> &b, WarpModel &model, Value *vector) : b(b), type(vector->getType()) {
    table = model.entryAlloca(type, "by.lane");
    b.CreateStore(vector, table);
  }

  Value *operator[](Value *lane) const { return b.CreateLoad(type->getScalarType(), place(lane)); }
  void set(Value *lane, Value *value) { b.CreateStore(value, place(lane)); }
  Value *whole() const { return b.CreateLoad(type, table); }

private:
  Value *place(Value *lane) const {
    return b.CreateGEP(type->getScalarType(), table, b.CreateZExt(lane, b.getInt64Ty()));
  }

  IRBuilder<> &b;
  llvm::Type *type;
  AllocaInst *table;
};

} // namespace

/// The operands of all active lanes in one, where that means the same; nullptr where it does not. The order of float
/// additions is not specified, as on a GPU.
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

/// Lanes take turns in ascending order.
Lanes WarpModel::atomic(const AtomicUpdate &update) {
  IRBuilder<> &b = e->builder;
  const Address &address = update.address;
  Leaf where = address.slowIf ? address.slow() : address.fast;
  const bool isUniformAddress = !where.isAffine() && !where.value->getType()->isVectorTy();
  // A block runs on one thread of the host, so its shared memory needs no locked instructions.
  const bool isShared = address.space != Space::Shared && address.space != Space::Local;
  const bool isSigned = update.element->isSigned();
  Value *vector = spread(update.value);
  if (isUniformAddress && !update.isUsed)
    if (Value *combined = combineLanes(*e, update, vector, mask)) {
      emitAtomic(b, {update.op, isSigned, combined}, where.value, isShared);
      return {};
    }
  const LaneTable operands(b, *this, vector), pointers(b, *this, spread(where));
  const LaneTable compare(b, *this, update.compare.value ? spread(update.compare) : vector);
  LaneTable old(b, *this, Constant::getNullValue(vector->getType()));
  forEachLane([&](Value *lane) {
    AtomicAction action{update.op, isSigned, operands[lane]};
    if (update.compare.value)
      action.compare = compare[lane];
    Value *before = emitAtomic(b, action, pointers[lane], isShared);
    if (update.isUsed)
      old.set(lane, before);
  });
  return update.isUsed ? Lanes{Leaf(old.whole())} : Lanes();
}

static uint64_t bytesOf(const typed::Allocation &allocation) {
  uint64_t bytes = allocation.type->element()->bytes();
  for (int64_t extent : allocation.shape)
    bytes *= uint64_t(extent);
  return bytes;
}

Value *WarpModel::arenaPointer(unsigned field) {
  IRBuilder<> &b = e->builder;
  Value *address = b.CreateConstGEP1_32(b.getPtrTy(), warp.arena, field);
  LoadInst *load = b.CreateAlignedLoad(b.getPtrTy(), address, Align(8));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
  return load;
}

Leaf WarpModel::dynamicShared(uint32_t) {
  IRBuilder<> &b = e->builder;
  if (!program.dynamicOffset)
    program.dynamicOffset = new GlobalVariable(e->module, b.getInt64Ty(), true, GlobalValue::InternalLinkage,
                                               b.getInt64(0), "dynamic.offset");
  Value *offset = b.CreateLoad(b.getInt64Ty(), program.dynamicOffset);
  return b.CreateGEP(b.getInt8Ty(), arenaPointer(0), offset);
}

Leaf WarpModel::dynamicSharedBytes() {
  IRBuilder<> &b = e->builder;
  constexpr unsigned offset = offsetof(cpu::LaunchGeometry, dynamicSharedBytes);
  Value *address = b.CreateConstGEP1_32(b.getInt8Ty(), warp.geometry, offset);
  LoadInst *load = b.CreateAlignedLoad(b.getInt32Ty(), address, Align(4));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
  return b.CreateZExt(load, b.getInt64Ty());
}

Leaf WarpModel::allocate(Frame &frame, const typed::Allocation &allocation) {
  IRBuilder<> &b = e->builder;
  const Type *type = allocation.type;
  const uint64_t bytes = bytesOf(allocation);
  const uint32_t alignment = std::max<uint32_t>(allocation.alignment, 64);
  auto place = [&](uint32_t &end, uint64_t size) {
    const uint32_t offset = (end + alignment - 1) / alignment * alignment;
    end = uint32_t(offset + size);
    return offset;
  };
  const auto key = std::pair(frame.function, allocation.id);
  if (type->space() == Space::Shared) {
    auto [entry, isNew] = program.sharedOffsets.try_emplace(key, 0);
    if (isNew)
      entry->second = place(program.sharedBytes, bytes);
    return b.CreateConstGEP1_64(b.getInt8Ty(), arenaPointer(0), entry->second);
  }
  const uint64_t warpBytes = bytes * warpLanes;
  Value *base = nullptr;
  if (warpBytes <= stackArrayBytes && !program.warpsTakeTurns()) {
    AllocaInst *array = entryAlloca(ArrayType::get(b.getInt8Ty(), std::max<uint64_t>(warpBytes, 1)), "local");
    array->setAlignment(Align(64));
    base = array;
  } else {
    auto [entry, isNew] = program.localOffsets.try_emplace(key, 0);
    if (isNew)
      entry->second = place(program.contextBytes, warpBytes * (program.warpsTakeTurns() ? 32 : 1));
    base = b.CreateConstGEP1_64(b.getInt8Ty(), arenaPointer(1), entry->second);
    if (program.warpsTakeTurns()) {
      Value *warpIndex = b.CreateZExt(b.CreateUDiv(warp.linear, b.getInt32(warpLanes)), b.getInt64Ty());
      base = b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(warpIndex, e->int64(int64_t(warpBytes))));
    }
  }
  const int64_t size = type->element()->bytes();
  return {base, e->int64(size), e->int64(size * program.runLength)};
}

Leaf WarpModel::capturedPointer(const TypedFunction &function, unsigned id) {
  const CapturedArray &array = function.captured[id];
  IRBuilder<> &b = e->builder;
  if (array.data.empty())
    return b.CreateIntToPtr(b.getInt64(array.devicePointer), b.getPtrTy());
  GlobalVariable *&data = program.capturedData[{&function, id}];
  if (!data) {
    const auto *bytes = reinterpret_cast<const uint8_t *>(array.data.data());
    Constant *contents = ConstantDataArray::get(e->module.getContext(), ArrayRef<uint8_t>(bytes, array.data.size()));
    data = new GlobalVariable(e->module, contents->getType(), true, GlobalValue::PrivateLinkage, contents, "captured");
    data->setAlignment(Align(64));
  }
  return data;
}

} // namespace treadle::codegen
