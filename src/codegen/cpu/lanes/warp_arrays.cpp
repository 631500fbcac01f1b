// WarpLanes: the memory of shared, local and captured arrays.
#include "codegen/cpu/lanes/warp_lanes.h"

#include "border/image.h"
#include "border/kernel_abi.h"
#include "codegen/cpu/lanes/warp_frame.h"
#include "support/error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

/// Local arrays up to this size, all lanes together, may live on the worker's stack.
constexpr uint64_t stackArrayBytes = 16384;

namespace {

uint64_t bytesOf(const typed::Allocation &allocation) {
  uint64_t bytes = allocation.type->element()->bytes();
  for (int64_t extent : allocation.shape)
    bytes *= uint64_t(extent);
  return bytes;
}

} // namespace

/// Invariant for a function's run, so LLVM loads it once.
Value *WarpLanes::arenaPointer(cpu::ArenaPointer which) {
  IRBuilder<> &b = e->builder;
  Value *address = b.CreateConstGEP1_32(b.getPtrTy(), warp.arena, unsigned(which));
  LoadInst *load = b.CreateAlignedLoad(b.getPtrTy(), address, Align(8));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
  return load;
}

/// How much static shared memory precedes it is known after emission only, hence the constant that is set then.
Leaf WarpLanes::dynamicShared(uint32_t) {
  IRBuilder<> &b = e->builder;
  if (!program.emission.dynamicOffset)
    program.emission.dynamicOffset = new GlobalVariable(e->module, b.getInt64Ty(), true, GlobalValue::InternalLinkage,
                                                        b.getInt64(0), "dynamic.offset");
  Value *offset = b.CreateLoad(b.getInt64Ty(), program.emission.dynamicOffset);
  return b.CreateGEP(b.getInt8Ty(), arenaPointer(cpu::ArenaPointer::Shared), offset);
}

Leaf WarpLanes::dynamicSharedBytes() {
  return e->builder.CreateZExt(geometry(cpu::dynamicSharedWord), e->builder.getInt64Ty());
}

/// A place in the worker's memory serves one activation at a time; a recursive function may have several.
Value *WarpLanes::ofActivation(uint64_t bytes) {
  constexpr uint64_t alignment = 64;
  auto *type = ArrayType::get(e->builder.getInt8Ty(), std::max<uint64_t>(bytes, 1));
  auto *array = new AllocaInst(type, 0, nullptr, Align(alignment), "local", std::next(activation.begin->getIterator()));
  // With what aligning the array may cost.
  activation.bytes += alignTo(bytes, alignment) + alignment;
  return array;
}

/// A function that returns arrays has one for each of its activations, which its callers may all hold.
Emission::LocalArray WarpLanes::keyOf(const Frame &frame, uint32_t id, uint32_t copy) const {
  const auto &storage = static_cast<const WarpFrame &>(*frame.storage);
  return {id, copy, frame.function->givesArrays ? storage.activation : 0};
}

/// Shared arrays have offsets in the block's memory. Local ones are interleaved, element by element for all lanes, so
/// that lanes with equal indices access adjacent memory; the result is affine. They are on the stack if they are small
/// and no other warp runs before this one ends, else in the context, which has a place for each warp if warps take
/// turns.
Leaf WarpLanes::allocate(Frame &frame, const typed::Allocation &allocation) {
  IRBuilder<> &b = e->builder;
  const Type *type = allocation.type;
  const uint64_t bytes = bytesOf(allocation);
  const uint32_t alignment = std::max<uint32_t>(allocation.alignment, 64);
  auto place = [&](uint32_t &end, uint64_t size) {
    const uint32_t offset = (end + alignment - 1) / alignment * alignment;
    end = uint32_t(offset + size);
    return offset;
  };
  if (type->space() == Space::Shared) {
    auto [entry, isNew] = program.emission.sharedOffsets.try_emplace(allocation.id, 0);
    if (isNew)
      entry->second = place(program.emission.sharedBytes, bytes);
    return b.CreateConstGEP1_64(b.getInt8Ty(), arenaPointer(cpu::ArenaPointer::Shared), entry->second);
  }
  TREADLE_CHECK(hasWarp());
  const Emission::LocalArray key = keyOf(frame, allocation.id, allocation.copy);
  if (program.emission.localArrays.insert(key).second)
    program.emission.localBytes += uint32_t(bytes);
  const uint64_t warpBytes = bytes * laneCount();
  Value *base = nullptr;
  if (activation.begin) {
    base = ofActivation(warpBytes);
  } else if (warpBytes <= stackArrayBytes && !program.warpsTakeTurns()) {
    AllocaInst *array = entryAlloca(ArrayType::get(b.getInt8Ty(), std::max<uint64_t>(warpBytes, 1)), "local");
    array->setAlignment(Align(64));
    base = array;
  } else {
    auto [entry, isNew] = program.emission.localOffsets.try_emplace(key, 0);
    if (isNew)
      entry->second = place(program.emission.contextBytes,
                            warpBytes * (program.warpsTakeTurns() ? program.settings.warpsOfBlock() : 1));
    base = b.CreateConstGEP1_64(b.getInt8Ty(), arenaPointer(cpu::ArenaPointer::Context), entry->second);
    if (program.warpsTakeTurns())
      base = b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(warpIndex(), e->int64(int64_t(warpBytes))));
  }
  const int64_t size = type->element()->bytes();
  return {base, e->int64(size), e->int64(size * program.settings.runLength)};
}

namespace {

/// Aligned for any vector load.
GlobalVariable *addConstant(Module &module, const std::vector<std::byte> &bytes, const char *name) {
  const ArrayRef<uint8_t> numbers(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  Constant *contents = ConstantDataArray::get(module.getContext(), numbers);
  auto *data = new GlobalVariable(module, contents->getType(), true, GlobalValue::PrivateLinkage, contents, name);
  data->setAlignment(Align(64));
  return data;
}

} // namespace

/// By the memory that has the contents: what functions share is in the image once.
Leaf WarpLanes::capturedPointer(const TypedFunction &function, unsigned id) {
  const CapturedArray &array = function.captured[id];
  IRBuilder<> &b = e->builder;
  // Its contents are on a device: loading provides a word with their address.
  if (array.position) {
    const std::string name = CapturedDeviceArray::symbol(*array.position);
    GlobalVariable *word = e->module.getGlobalVariable(name);
    if (!word)
      word = new GlobalVariable(e->module, b.getPtrTy(), true, GlobalValue::ExternalLinkage, nullptr, name);
    LoadInst *address = b.CreateAlignedLoad(b.getPtrTy(), word, Align(8), "captured");
    address->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
    return address;
  }
  GlobalVariable *&data = program.emission.capturedData[array.data.get()];
  if (!data)
    data = addConstant(e->module, *array.data, "captured");
  return data;
}

Leaf WarpLanes::constantPointer(const std::vector<std::byte> &bytes) {
  GlobalVariable *&data = program.emission.constants[bytes];
  if (!data)
    data = addConstant(e->module, bytes, "constants");
  return data;
}

/// Fails if less of the thread's stack is left than a level of the recursion may need besides its local arrays.
void WarpLanes::beginActivation(const TypedFunction &callee) {
  IRBuilder<> &b = e->builder;
  Value *frame = b.CreateIntrinsic(Intrinsic::frameaddress, {b.getPtrTy()}, {b.getInt32(0)});
  activation.size = cast<Instruction>(b.CreateFreeze(b.getInt64(0)));
  Value *here = b.CreateGEP(b.getInt8Ty(), frame, b.CreateNeg(activation.size));
  // Not invariant: fibers have their own stacks.
  Value *limit = b.CreateAlignedLoad(
      b.getPtrTy(), b.CreateConstGEP1_32(b.getPtrTy(), warp.arena, unsigned(cpu::ArenaPointer::StackLimit)), Align(8));
  BasicBlock *deep = e->newBlock("deep"), *enough = e->newBlock("enough");
  b.CreateCondBr(b.CreateICmpULT(here, limit), deep, enough);
  b.SetInsertPoint(deep);
  Value *zero = b.getInt64(0);
  SmallVector<Value *, 8> members{b.getInt32(uint32_t(Fault::TooDeep))};
  members.append(wordsOf(e->placeOf(callee.span)));
  members.append({b.getInt32(0), zero, zero, zero});
  Value *call = inMemory(members);
  auto fail = e->module.getOrInsertFunction(cpu::failSymbol, FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false));
  b.CreateCall(fail, {call});
  b.CreateUnreachable();
  b.SetInsertPoint(enough);
  // Not in the entry block, where they would be part of the frame that exists before the check.
  activation.begin = cast<Instruction>(b.CreateFreeze(b.getInt64(0)));
}

/// Both placeholders go: the size is known now, and the place at which arrays were inserted is no longer needed.
void WarpLanes::endActivation() {
  if (!activation.begin)
    return;
  activation.size->replaceAllUsesWith(e->builder.getInt64(activation.bytes));
  activation.size->eraseFromParent();
  activation.begin->eraseFromParent();
  activation = {};
}

} // namespace treadle::codegen
