// Memory of one thread: loads, stores, atomics, arrays of the block and of the thread, captured data, failed checks.
#include "codegen/ptx/ptx_lane_model.h"

#include "border/error_record.h"
#include "border/image.h"
#include "codegen/atomics.h"
#include "support/error.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace treadle::codegen::ptx {

using namespace llvm;
using treadle::Type;

namespace {

/// PTX's address spaces as LLVM numbers them.
enum AddressSpace : unsigned { Generic = 0, Global = 1, Shared = 3, Constant = 4 };

/// The maximum constant memory of a module.
constexpr uint64_t constantLimit = 65536;

/// Allows vectors of adjacent elements, which the back end forms if the alignment permits.
unsigned arrayAlignment(const Type *element, uint64_t bytes) { return bytes >= 16 ? 16 : element->alignment(); }

} // namespace

Value *PtxLaneModel::elementPointer(Value *pointer, unsigned bytes) {
  return bytes == 0 ? pointer : e->builder.CreateConstGEP1_64(e->builder.getInt8Ty(), pointer, bytes);
}

/// The parts of a complex element are two loads, which the back end joins where the alignment allows it. A polled load
/// is volatile, so that no pass takes it out of the loop.
Lanes PtxLaneModel::load(const Type *element, const Address &address) {
  IRBuilder<> &builder = e->builder;
  llvm::Type *type = e->memoryType(element);
  Lanes result;
  for (unsigned part = 0; part < (element->isComplex() ? 2u : 1u); ++part) {
    Value *pointer = elementPointer(address.place.everywhere().value, part * element->bytes() / 2);
    LoadInst *value = builder.CreateAlignedLoad(type, pointer, Align(address.alignment));
    value->setVolatile(address.isPolled);
    // A read-only view may overlap a written array, unless nothing overlaps.
    if (!address.isPolled && address.isReadOnly && options.facts.noOverlap && address.space == Space::Global)
      value->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(module.getContext(), {}));
    result.push_back(e->fromMemory(element, value));
  }
  return result;
}

namespace {

/// Stores a float16 bytewise. ptxas before CUDA 13.5 converts to uint8 when `st.u8` stores a register in which such a
/// number was computed; LLVM's 16-bit registers do not tell it their type.
void storeBytes(IRBuilder<> &b, Value *half, Value *pointer) {
  auto *code =
      InlineAsm::get(FunctionType::get(b.getInt32Ty(), {b.getInt16Ty()}, false), "cvt.u32.u16 $0, $1;", "=r,h", false);
  Value *bits = b.CreateCall(code, {b.CreateBitCast(half, b.getInt16Ty())});
  b.CreateAlignedStore(b.CreateTrunc(bits, b.getInt8Ty()), pointer, Align(1));
  b.CreateAlignedStore(b.CreateTrunc(b.CreateLShr(bits, 8), b.getInt8Ty()),
                       b.CreateConstGEP1_64(b.getInt8Ty(), pointer, 1), Align(1));
}

} // namespace

void PtxLaneModel::store(const Type *element, const Address &address, const Lanes &value) {
  IRBuilder<> &builder = e->builder;
  for (unsigned part = 0; part < value.size(); ++part) {
    Value *pointer = elementPointer(address.place.everywhere().value, part * element->bytes() / 2);
    Value *stored = e->toMemory(element, value[part].value);
    if (stored->getType()->isHalfTy() && address.alignment < 2)
      storeBytes(builder, stored, pointer);
    else
      builder.CreateAlignedStore(stored, pointer, Align(address.alignment));
  }
}

namespace {

/// Null: not one of the counting instructions, which 32-bit words have.
Value *emitCount(IRBuilder<> &b, const AtomicAction &action, Value *address) {
  const bool counts = action.op == AtomicOperation::Inc || action.op == AtomicOperation::Dec;
  if (!counts || !action.operand->getType()->isIntegerTy(32))
    return nullptr;
  const Intrinsic::ID instruction =
      action.op == AtomicOperation::Inc ? Intrinsic::nvvm_atomic_load_inc_32 : Intrinsic::nvvm_atomic_load_dec_32;
  return b.CreateIntrinsic(instruction, {address->getType()}, {address, action.operand});
}

/// A 16-bit swap: LLVM would swap it as part of a word, and read the rest of that non-atomically.
Value *swapShort(IRBuilder<> &b, Value *address, Value *seen, Value *made) {
  const unsigned space = address->getType()->getPointerAddressSpace();
  const bool isShared = space == Shared;
  const char *text = isShared          ? "atom.shared.cas.b16 $0, [$1], $2, $3;"
                     : space == Global ? "atom.global.cas.b16 $0, [$1], $2, $3;"
                                       : "atom.cas.b16 $0, [$1], $2, $3;";
  auto *type = FunctionType::get(b.getInt16Ty(), {address->getType(), b.getInt16Ty(), b.getInt16Ty()}, false);
  auto *code = InlineAsm::get(type, text, isShared ? "=h,r,h,h,~{memory}" : "=h,l,h,h,~{memory}", true);
  return b.CreateCall(code, {address, seen, made});
}

} // namespace

/// Sums of float16 are an instruction; other operations on 16 bits go through `cas.b16`.
Lanes PtxLaneModel::atomic(const AtomicUpdate &update) {
  const AtomicAction action{update.op, update.element->isSigned(), update.value.value, update.compare.value};
  Value *address = update.address.place.everywhere().value;
  Value *old = emitCount(e->builder, action, address);
  const bool isSum = update.op == AtomicOperation::Add || update.op == AtomicOperation::Sub;
  if (update.element->bits() == 16 && !isSum)
    old = emitAtomicLoop(e->builder, action, address, swapShort);
  if (!old)
    old = emitAtomic(e->builder, action, address, true);
  return update.isUsed ? Lanes{Leaf(old)} : Lanes();
}

/// A local array is one for each activation and allocation, however often the statement runs, so it is in the entry
/// block; inlined calls have frames of their own. Shared arrays are one for the kernel, also where several functions
/// reach the same allocation. Their initial contents are undefined.
Leaf PtxLaneModel::allocate(Frame &frame, const typed::Allocation &allocation) {
  const Type *element = allocation.type->element();
  uint64_t bytes = element->bytes();
  for (int64_t extent : allocation.shape)
    bytes *= uint64_t(extent);
  // An empty array has an address, too.
  bytes = std::max<uint64_t>(bytes, element->bytes());
  Align alignment(std::max(allocation.alignment, arrayAlignment(element, bytes)));
  auto *type = ArrayType::get(e->builder.getInt8Ty(), bytes);
  if (allocation.type->space() == Space::Local) {
    Value *&array = storage(frame).localArrays[{allocation.id, allocation.copy}];
    if (!array) {
      AllocaInst *slot = variable(type);
      slot->setAlignment(alignment);
      array = slot;
      localBytes += uint32_t(bytes);
    }
    return array;
  }
  GlobalVariable *&array = sharedArrays[allocation.id];
  if (!array) {
    array = new GlobalVariable(module, type, false, GlobalValue::InternalLinkage, PoisonValue::get(type), "shared",
                               nullptr, GlobalValue::NotThreadLocal, Shared);
    array->setAlignment(alignment);
    sharedBytes = uint32_t(alignTo(sharedBytes, alignment) + bytes);
  }
  return e->builder.CreateAddrSpaceCast(array, e->builder.getPtrTy());
}

/// With CUDA's device-side malloc and free. Large enough memory is reused when the thread reaches the place again.
Leaf PtxLaneModel::heapMemory(const typed::HeapArray &array, const Leaf &bytes) {
  IRBuilder<> &b = e->builder;
  const auto cleared = [&](llvm::Type *type) {
    AllocaInst *made = variable(type);
    IRBuilder<>(made->getParent(), std::next(made->getIterator())).CreateStore(Constant::getNullValue(type), made);
    return made;
  };
  AllocaInst *pointer = cleared(b.getPtrTy()), *capacity = cleared(b.getInt64Ty());
  heapPointers.push_back(pointer);
  BasicBlock *grow = e->newBlock("grow"), *enough = e->newBlock("enough");
  b.CreateCondBr(b.CreateICmpUGT(bytes.value, b.CreateLoad(b.getInt64Ty(), capacity)), grow, enough);
  b.SetInsertPoint(grow);
  auto free = module.getOrInsertFunction("free", FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false));
  auto allocate = module.getOrInsertFunction("malloc", FunctionType::get(b.getPtrTy(), {b.getInt64Ty()}, false));
  b.CreateCall(free, {b.CreateLoad(b.getPtrTy(), pointer)});
  Value *made = b.CreateCall(allocate, {bytes.value});
  b.CreateStore(made, pointer);
  b.CreateStore(bytes.value, capacity);
  emitCheck(b.CreateIsNull(made), Fault::HeapIsFull, e->placeOf(array.span));
  b.CreateBr(enough);
  b.SetInsertPoint(enough);
  return b.CreateLoad(b.getPtrTy(), pointer);
}

/// At the function's single exit. Pointers that were never set are null, which `free` takes. A thread that a failed
/// check ends does not get here: the launch has failed then.
void PtxLaneModel::freeHeap() {
  IRBuilder<> &b = e->builder;
  auto type = FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  for (AllocaInst *pointer : heapPointers)
    b.CreateCall(module.getOrInsertFunction("free", type), {b.CreateLoad(b.getPtrTy(), pointer)});
  heapPointers.clear();
}

/// One external array without a size, which the launch gives. Its alignment is the largest that any use asks for.
Leaf PtxLaneModel::dynamicShared(uint32_t alignment) {
  constexpr const char *name = "treadle_dynamic_shared";
  GlobalVariable *memory = module.getGlobalVariable(name);
  if (!memory)
    memory = new GlobalVariable(module, ArrayType::get(e->builder.getInt8Ty(), 0), false, GlobalValue::ExternalLinkage,
                                nullptr, name, nullptr, GlobalValue::NotThreadLocal, Shared);
  memory->setAlignment(std::max(memory->getAlign().valueOrOne(), Align(std::max<uint32_t>(alignment, 16))));
  return e->builder.CreateAddrSpaceCast(memory, e->builder.getPtrTy());
}

/// By inline assembly, as LLVM has no intrinsic for this register; without side effects, so that LLVM may merge and
/// drop reads of it.
Leaf PtxLaneModel::dynamicSharedBytes() {
  IRBuilder<> &b = e->builder;
  auto *read = InlineAsm::get(FunctionType::get(b.getInt32Ty(), false), "mov.u32 $0, %dynamic_smem_size;", "=r", false);
  return b.CreateZExt(b.CreateCall(read), b.getInt64Ty());
}

/// The address is written by the loader of the module, before the first launch.
Value *PtxLaneModel::capturedAddress(uint32_t position) {
  IRBuilder<> &b = e->builder;
  auto *type = PointerType::get(b.getContext(), Global);
  const std::string name = CapturedDeviceArray::symbol(position);
  GlobalVariable *word = module.getGlobalVariable(name);
  if (!word) {
    constexpr unsigned bytes = 8;
    // Once constant memory is full, the word is in global memory.
    const bool fits = constantBytes + bytes <= constantLimit;
    word = new GlobalVariable(module, type, true, GlobalValue::ExternalLinkage, ConstantPointerNull::get(type), name,
                              nullptr, GlobalValue::NotThreadLocal, fits ? Constant : Global, true);
    word->setAlignment(Align(bytes));
    constantBytes += fits ? 16 : 0;
  }
  LoadInst *address = b.CreateAlignedLoad(type, word, Align(8), "captured");
  address->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
  return b.CreateAddrSpaceCast(address, b.getPtrTy());
}

/// The same data is one array for all functions that capture the object.
Leaf PtxLaneModel::capturedPointer(const TypedFunction &function, unsigned id) {
  const CapturedArray &array = function.captured[id];
  if (array.position)
    return capturedAddress(*array.position);
  llvm::Constant *&pointer = capturedArrays[array.data.get()];
  if (!pointer)
    pointer = addConstant(*array.data);
  return pointer;
}

Leaf PtxLaneModel::constantPointer(const std::vector<std::byte> &bytes) {
  const auto [known, isNew] = constants.try_emplace(bytes);
  if (isNew)
    known->second = addConstant(known->first);
  return known->second;
}

/// Overflows constant memory into read-only global memory, read through the read-only cache.
llvm::Constant *PtxLaneModel::addConstant(const std::vector<std::byte> &bytes) {
  const bool isConstant = constantBytes + bytes.size() <= constantLimit;
  GlobalVariable *variable = capturedData.add(module, bytes, isConstant ? Constant : Global);
  if (isConstant)
    constantBytes += alignTo(std::max<size_t>(bytes.size(), 1), 16);
  return ConstantExpr::getAddrSpaceCast(variable, PointerType::get(module.getContext(), Generic));
}

// Failed checks.

/// Only in modules with checks: the host looks for the symbol.
GlobalVariable *PtxLaneModel::errorRecord() {
  if (GlobalVariable *known = module.getGlobalVariable(errorRecordSymbol))
    return known;
  auto *type = ArrayType::get(llvm::Type::getInt32Ty(module.getContext()), sizeof(ErrorRecord) / 4);
  auto *record =
      new GlobalVariable(module, type, false, GlobalValue::ExternalLinkage, llvm::Constant::getNullValue(type),
                         errorRecordSymbol, nullptr, GlobalValue::NotThreadLocal, Global);
  record->setAlignment(Align(4));
  return record;
}

/// fail(fault, source, line, column): records the first failure of the launch and ends the thread.
Function *PtxLaneModel::failure() {
  constexpr const char *name = "treadle_fail";
  if (Function *known = module.getFunction(name))
    return known;
  LLVMContext &context = module.getContext();
  auto *word = llvm::Type::getInt32Ty(context);
  auto *type = FunctionType::get(llvm::Type::getVoidTy(context), {word, word, word, word}, false);
  Function *function = Function::Create(type, GlobalValue::InternalLinkage, name, module);
  for (auto attribute : {Attribute::NoInline, Attribute::NoReturn, Attribute::NoUnwind, Attribute::Cold})
    function->addFnAttr(attribute);
  GlobalVariable *record = errorRecord();
  IRBuilder<> b(BasicBlock::Create(context, "entry", function));
  BasicBlock *first = BasicBlock::Create(context, "first", function);
  BasicBlock *end = BasicBlock::Create(context, "end", function);
  // Only the thread that finds no failure there writes the rest, so that a record is of one failure.
  Value *old = b.CreateAtomicCmpXchg(record, b.getInt32(0), function->getArg(0), Align(4), AtomicOrdering::Monotonic,
                                     AtomicOrdering::Monotonic);
  b.CreateCondBr(b.CreateExtractValue(old, 1), first, end);
  b.SetInsertPoint(first);
  SmallVector<Value *, 8> words{function->getArg(1), function->getArg(2), function->getArg(3)};
  for (unsigned id : {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
                      Intrinsic::nvvm_read_ptx_sreg_tid_z, Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                      Intrinsic::nvvm_read_ptx_sreg_ctaid_y, Intrinsic::nvvm_read_ptx_sreg_ctaid_z})
    words.push_back(b.CreateIntrinsic(id, {}, {}));
  for (unsigned i = 0; i < words.size(); ++i)
    b.CreateAlignedStore(words[i], b.CreateConstGEP1_32(word, record, i + 1), Align(4));
  b.CreateBr(end);
  b.SetInsertPoint(end);
  b.CreateIntrinsic(Intrinsic::nvvm_exit, {}, {});
  b.CreateUnreachable();
  return function;
}

/// The failing branch calls a function that is cold and does not return, so that the code of the passing one stays in
/// line.
void PtxLaneModel::emitCheck(const Leaf &failed, Fault fault, const FaultPlace &place) {
  IRBuilder<> &builder = e->builder;
  BasicBlock *fails = e->newBlock("fails"), *holds = e->newBlock("holds");
  builder.CreateCondBr(failed.value, fails, holds);
  builder.SetInsertPoint(fails);
  builder.CreateCall(failure(), {builder.getInt32(uint32_t(fault)), builder.getInt32(place.source),
                                 builder.getInt32(place.line), builder.getInt32(place.column)});
  builder.CreateUnreachable();
  builder.SetInsertPoint(holds);
}

} // namespace treadle::codegen::ptx
