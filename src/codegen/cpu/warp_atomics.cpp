// WarpModel: what is done one lane at a time, memory of the block and the thread, captured data, debug checks.
#include "codegen/cpu/warp_model.h"

#include "device/cpu/kernel_abi.h"
#include "support/error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

/// Local arrays up to this size, all lanes together, may live on the worker's stack.
constexpr uint64_t stackArrayBytes = 16384;

void WarpModel::forEachLane(function_ref<void(Value *)> body) {
  IRBuilder<> &b = e->builder;
  AllocaInst *left = entryAlloca(b.getInt32Ty(), "lanes.left");
  b.CreateStore(b.CreateBitCast(maskOrAll(), b.getInt32Ty()), left);
  BasicBlock *head = e->newBlock("lane"), *done = e->newBlock("lanes.done");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  Value *bits = b.CreateLoad(b.getInt32Ty(), left);
  body(b.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b.getTrue()));
  Value *rest = b.CreateAnd(bits, b.CreateSub(bits, b.getInt32(1)));
  b.CreateStore(rest, left);
  b.CreateCondBr(b.CreateICmpNE(rest, b.getInt32(0)), head, done);
  b.SetInsertPoint(done);
}

/// The sum over the active lanes; the order of float additions is not specified, as on a GPU.
static Value *sumOfLanes(Emitter &e, WarpModel &model, Value *vector) {
  IRBuilder<> &b = e.builder;
  if (model.mask)
    vector = b.CreateSelect(model.mask, vector, Constant::getNullValue(vector->getType()));
  if (!vector->getType()->isFPOrFPVectorTy())
    return b.CreateAddReduce(vector);
  Value *zero = ConstantFP::getNegativeZero(vector->getType()->getScalarType());
  auto *sum = cast<Instruction>(b.CreateFAddReduce(zero, vector));
  sum->setHasAllowReassoc(true);
  return sum;
}

static Value *addOne(Emitter &e, Space space, Value *address, Value *value) {
  IRBuilder<> &b = e.builder;
  const bool isFloat = value->getType()->isFloatingPointTy();
  // A block runs on one thread of the host, so its shared memory needs no locked instructions.
  if (space == Space::Shared || space == Space::Local) {
    Value *old = b.CreateLoad(value->getType(), address);
    b.CreateStore(isFloat ? b.CreateFAdd(old, value) : b.CreateAdd(old, value), address);
    return old;
  }
  return b.CreateAtomicRMW(isFloat ? AtomicRMWInst::FAdd : AtomicRMWInst::Add, address, value, MaybeAlign(),
                           AtomicOrdering::Monotonic);
}

Lanes WarpModel::atomic(AtomicOperation, const Type *element, const Address &address, const Lanes &value, bool isUsed) {
  IRBuilder<> &b = e->builder;
  Leaf where = address.slowIf ? address.slow() : address.fast;
  const bool isUniformAddress = !where.isAffine() && !where.value->getType()->isVectorTy();
  Value *vector = spread(value[0]);
  if (isUniformAddress && !isUsed) {
    addOne(*e, address.space, where.value, sumOfLanes(*e, *this, vector));
    return {};
  }
  Value *pointers = spread(where);
  AllocaInst *old = isUsed ? entryAlloca(vector->getType(), "old") : nullptr;
  if (old)
    b.CreateStore(Constant::getNullValue(vector->getType()), old);
  forEachLane([&](Value *lane) {
    Value *before =
        addOne(*e, address.space, b.CreateExtractElement(pointers, lane), b.CreateExtractElement(vector, lane));
    if (old)
      b.CreateStore(b.CreateInsertElement(b.CreateLoad(vector->getType(), old), before, lane), old);
  });
  (void)element;
  return old ? Lanes{Leaf(b.CreateLoad(vector->getType(), old))} : Lanes();
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
  if (warpBytes <= stackArrayBytes && !program.hasRegions) {
    AllocaInst *array = entryAlloca(ArrayType::get(b.getInt8Ty(), std::max<uint64_t>(warpBytes, 1)), "local");
    array->setAlignment(Align(64));
    base = array;
  } else {
    auto [entry, isNew] = program.localOffsets.try_emplace(key, 0);
    if (isNew)
      entry->second = place(program.contextBytes, warpBytes * (program.hasRegions ? 32 : 1));
    base = b.CreateConstGEP1_64(b.getInt8Ty(), arenaPointer(1), entry->second);
    if (program.hasRegions) {
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

void WarpModel::emitCheck(const Leaf &failed, unsigned code, const SourceSpan &span) {
  IRBuilder<> &b = e->builder;
  Value *lanes = spreadIfAffine(failed);
  Value *isBad = lanes;
  if (lanes->getType()->isVectorTy()) {
    lanes = mask ? b.CreateAnd(lanes, mask) : lanes;
    isBad = isAny(lanes);
  }
  BasicBlock *bad = e->newBlock("failed"), *good = e->newBlock("checked");
  b.CreateCondBr(isBad, bad, good);
  b.SetInsertPoint(bad);
  llvm::Type *word = b.getInt32Ty();
  auto callee =
      e->module.getOrInsertFunction(cpu::failSymbol, FunctionType::get(b.getVoidTy(), {word, word, word}, false));
  cast<Function>(callee.getCallee())->setDoesNotReturn();
  b.CreateCall(callee, {b.getInt32(code), b.getInt32(span.line), b.getInt32(span.column)});
  b.CreateUnreachable();
  b.SetInsertPoint(good);
}

} // namespace treadle::codegen
