// The kernel's entry on the CPU.
#include "codegen/cpu/warp/cpu_kernel.h"

#include "border/kernel_abi.h"
#include "codegen/atomics.h"
#include "codegen/cpu/warp/block_regions.h"
#include "passes/analyses/short_rows.h"
#include "passes/analyses/written_arrays.h"
#include "support/error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace treadle::codegen {

namespace {

/// Emits the loops over units and warps around the kernel's body.
class KernelEntry {
public:
  KernelEntry(Module &module, WarpProgram &program, const CpuKernelRequest &request)
      : module(module), program(program), request(request), model(program), emitter(module, model, request.options),
        b(emitter.builder) {
    model.attach(emitter);
  }

  /// A call of the entry is one share of the grid: tables begin before its first unit and are merged after its last.
  void emit() {
    if (program.analysis.usesFibers)
      return emitFibers();
    declare();
    beginTables();
    if (program.analysis.spansBlocks)
      emitSpans();
    else
      emitBlocks();
    mergeTables();
    // Threads that observe the end of the launch must see the streaming stores.
    if (program.emission.hasStreams)
      b.CreateIntrinsic(Intrinsic::x86_sse_sfence, {}, {});
    b.CreateRetVoid();
  }

private:
  /// The entry passes blocks to the runtime, which calls back for each warp.
  void emitFibers() {
    llvm::Type *pointer = b.getPtrTy(), *word = b.getInt32Ty();
    // As many arguments before the parameters as declare() has, on which firstArgument() and writeParameters() rely.
    SmallVector<llvm::Type *, 8> types{pointer, pointer, word, pointer};
    declareBody(types, "warp");
    Function *caller = declareCaller({pointer, pointer, pointer, word, pointer}, "treadle_warp", 4);
    // The entry hands its address to the runtime, and nothing else refers to it.
    caller->setLinkage(GlobalValue::InternalLinkage);
    emitBlockCalls(*caller);
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", function));
    warp.geometry = function->getArg(0);
    for (unsigned axis = 0; axis < 3; ++axis)
      warp.block[axis] = b.CreateLoad(word, b.CreateConstGEP1_32(word, function->getArg(1), axis));
    warp.linear = function->getArg(2);
    warp.arena = function->getArg(3);
    model.setWarp(warp);
    frame.function = &request.kernel;
    emitter.frame = &frame;
    Value *threads = threadsOfBlock();
    emitWarp(b.CreateSub(threads, b.CreateZExt(warp.linear, b.getInt64Ty())), request.options.facts.fullWarps);
    b.CreateRetVoid();
  }

  /// The record is a cpu::BlockCall. Units are blocks, numbered along x, then y, then z.
  void emitBlockCalls(Function &caller) {
    llvm::Type *pointer = b.getPtrTy(), *wide = b.getInt64Ty(), *word = b.getInt32Ty();
    auto *type = FunctionType::get(b.getVoidTy(), {pointer, pointer, wide, wide, pointer}, false);
    Function *entry = Function::Create(type, GlobalValue::ExternalLinkage, request.entry, module);
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", entry));
    warp.geometry = entry->getArg(1);
    model.setWarp(warp);
    // Filled once: blocks differ in the coordinates only, to which one of the fields points.
    auto *callType = StructType::get(module.getContext(), {pointer, pointer, pointer, pointer, pointer});
    AllocaInst *call = b.CreateAlloca(callType), *block = b.CreateAlloca(ArrayType::get(word, 3));
    Value *fields[] = {&caller, entry->getArg(0), entry->getArg(1), block, entry->getArg(4)};
    for (unsigned i = 0; i < 5; ++i)
      b.CreateStore(fields[i], b.CreateStructGEP(callType, call, i));
    FunctionCallee run =
        module.getOrInsertFunction(cpu::runBlockSymbol, FunctionType::get(b.getVoidTy(), {pointer}, false));
    Value *gridX = gridDim(0), *gridY = gridDim(1);
    loop(entry->getArg(2), entry->getArg(3), b.getInt64(1), "block", [&](Value *unit) {
      Value *rest = b.CreateUDiv(unit, gridX);
      Value *coordinates[] = {b.CreateURem(unit, gridX), b.CreateURem(rest, gridY), b.CreateUDiv(rest, gridY)};
      for (unsigned axis = 0; axis < 3; ++axis)
        b.CreateStore(b.CreateTrunc(coordinates[axis], word), b.CreateConstGEP1_32(word, block, axis));
      b.CreateCall(run, {call});
    });
    b.CreateRetVoid();
  }

  /// The entry only unpacks the parameter block: pointers that are arguments can be declared noalias.
  void declare() {
    llvm::Type *pointer = b.getPtrTy(), *wide = b.getInt64Ty();
    // The geometry, the first unit, the unit after the last one, and the worker's arena.
    SmallVector<llvm::Type *, 8> types{pointer, wide, wide, pointer};
    declareBody(types, "units");
    declareCaller({pointer, pointer, wide, wide, pointer}, request.entry, 4);
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", function));
    warp.geometry = function->getArg(0);
    warp.arena = function->getArg(3);
    model.setWarp(warp);
    frame.function = &request.kernel;
    emitter.frame = &frame;
  }

  /// The function with the kernel's code: arguments of `types`, the first and last of which point to memory that
  /// nothing else accesses, then the parameters.
  /// Not to be inlined into its caller, since `noalias` is a property of a function's parameters.
  void declareBody(SmallVectorImpl<llvm::Type *> &types, const char *name) {
    const unsigned last = unsigned(types.size()) - 1;
    for (uint32_t i = 0; i < request.kernel.parameterCount; ++i)
      emitter.leafTypes(request.kernel.slots[i]->type, types);
    function =
        Function::Create(FunctionType::get(b.getVoidTy(), types, false), GlobalValue::InternalLinkage, name, module);
    function->setDoesNotThrow();
    function->addFnAttr(Attribute::NoInline);
    model.beginDebug(*function, request.kernel);
    for (unsigned argument : {0u, last})
      function->addParamAttr(argument, Attribute::NoAlias);
  }

  /// Calls the body with the arguments of the entry except the first, the parameter block, and with its contents.
  Function *declareCaller(ArrayRef<llvm::Type *> types, StringRef name, unsigned passed) {
    Function *caller =
        Function::Create(FunctionType::get(b.getVoidTy(), types, false), GlobalValue::ExternalLinkage, name, module);
    caller->setDoesNotThrow();
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", caller));
    SmallVector<Value *, 8> values;
    for (unsigned i = 1; i <= passed; ++i)
      values.push_back(caller->getArg(i));
    unsigned next = unsigned(values.size());
    // LLVM assumes that no call changes memory to which only such a parameter points. The regions of a block are one
    // function.
    const bool mayChange = program.analysis.usesFibers || request.kernel.hasGridBarrier ||
                           request.kernel.usesClusters || communicates(request.kernel, false);
    for (const ParameterLeaf &leaf : request.layout.leaves) {
      llvm::Type *type = function->getFunctionType()->getParamType(next);
      if (leaf.source == ParameterLeaf::Source::Pointer && request.options.facts.noOverlap && !mayChange)
        function->addParamAttr(next, Attribute::NoAlias);
      values.push_back(loadParameter(caller->getArg(0), leaf, type));
      ++next;
    }
    b.CreateCall(function, values);
    b.CreateRetVoid();
    return caller;
  }

  uint64_t lanes() const { return program.settings.lanes; }
  Value *gridDim(unsigned axis) { return b.CreateZExt(model.geometry(cpu::gridDimWord, axis), b.getInt64Ty()); }
  Value *blockDim(unsigned axis) { return b.CreateZExt(model.geometry(cpu::blockDimWord, axis), b.getInt64Ty()); }
  Value *threadsOfBlock() { return b.CreateMul(b.CreateMul(blockDim(0), blockDim(1)), blockDim(2)); }

  /// for (i64 value = first; value < last; value += step) body(value); runs at least once. Polls between units of work
  /// whether the launch must end.
  /// Not between the warps of a block, nor between the lines of a table, which take too little time each.
  void loop(Value *first, Value *last, Value *step, const char *name, function_ref<void(Value *)> body) {
    BasicBlock *before = b.GetInsertBlock(), *head = emitter.newBlock(name), *done = emitter.newBlock("done");
    b.CreateBr(head);
    b.SetInsertPoint(head);
    PHINode *value = b.CreatePHI(b.getInt64Ty(), 2);
    value->addIncoming(first, before);
    body(value);
    if (StringRef(name) != "warp" && StringRef(name) != "table")
      model.poll();
    Value *next = b.CreateAdd(value, step);
    value->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpULT(next, last), head, done);
    b.SetInsertPoint(done);
  }

  /// A unit is a chunk of a row of the grid, of as many threads whatever the number of lanes is: launches count by
  /// chunks, and know nothing of lanes. The last chunk and the last warp of a row may be partial.
  void emitSpans() {
    Value *extentX = b.CreateMul(gridDim(0), blockDim(0)), *extentY = b.CreateMul(gridDim(1), blockDim(1));
    constexpr uint64_t span = cpu::spanWarps * warpLanes;
    Value *chunks = b.CreateUDiv(b.CreateAdd(extentX, b.getInt64(span - 1)), b.getInt64(span));
    loop(function->getArg(1), function->getArg(2), b.getInt64(1), "unit", [&](Value *unit) {
      Value *row = b.CreateUDiv(unit, chunks), *chunk = b.CreateURem(unit, chunks);
      warp.gridY = b.CreateURem(row, extentY);
      warp.gridZ = b.CreateUDiv(row, extentY);
      Value *begin = b.CreateMul(chunk, b.getInt64(span));
      Value *end = b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateAdd(begin, b.getInt64(span)), extentX);
      auto emitWarps = [&] {
        loop(begin, end, b.getInt64(lanes()), "warp", [&](Value *x) {
          warp.gridX = x;
          model.setWarp(warp);
          emitWarp(b.CreateSub(extentX, x), false);
        });
      };
      if (program.analysis.stridedLoops.empty())
        emitWarps();
      else
        emitStrided(begin, emitWarps);
    });
  }

  /// For a kernel that is one strided loop, except for preceding assignments, which are repeated in each iteration.
  void emitStrided(Value *begin, function_ref<void()> emitWarps) {
    const StridedLoop &loop = program.analysis.stridedLoops.front();
    warp.gridX = begin;
    model.setWarp(warp);
    frame.storage.reset();
    model.declareSlots(frame);
    writeParameters();
    model.emitBody(request.kernel.body.first(request.kernel.body.size() - 1));
    Value *stop = emitter.emitLeaf(*loop.stop).value, *step = emitter.emitLeaf(*loop.step).value;
    TREADLE_CHECK(!stop->getType()->isVectorTy() && !step->getType()->isVectorTy());
    model.emitStrided({loop, b.CreateTrunc(begin, step->getType()), stop, step}, emitWarps);
  }

  /// `forEachWarp` is emitted once for each region. After it there is no warp, so that nothing at block level can use
  /// one.
  void emitBlocks() {
    Value *threads = threadsOfBlock();
    Value *gridX = gridDim(0), *gridY = gridDim(1);
    loop(function->getArg(1), function->getArg(2), b.getInt64(1), "block", [&](Value *unit) {
      Value *rest = b.CreateUDiv(unit, gridX);
      Value *coordinates[] = {b.CreateURem(unit, gridX), b.CreateURem(rest, gridY), b.CreateUDiv(rest, gridY)};
      for (unsigned axis = 0; axis < 3; ++axis)
        warp.block[axis] = b.CreateTrunc(coordinates[axis], b.getInt32Ty());
      model.setWarp(warp);
      auto forEachWarp = [&](Value *wanted, function_ref<void(Value *)> body) {
        Value *last = wanted ? b.CreateBinaryIntrinsic(Intrinsic::umin, wanted, threads) : threads;
        beginThreads();
        loop(b.getInt64(0), last, b.getInt64(lanes()), "warp", [&](Value *linear) {
          warp.linear = b.CreateTrunc(linear, b.getInt32Ty());
          loadThread();
          body(b.CreateSub(threads, linear));
          advanceThread();
        });
        warp.linear = nullptr;
        std::ranges::fill(warp.thread, nullptr);
        model.setWarp(warp);
      };
      if (program.settings.hasRegions)
        emitRegions(forEachWarp);
      else
        forEachWarp(nullptr, [&](Value *remaining) { emitWarp(remaining, request.options.facts.fullWarps); });
    });
  }

  /// threadIdx of each warp's first thread, without a division: a warp's lanes are one run, or whole runs, of a row.
  void beginThreads() {
    for (AllocaInst *&place : threadPlaces) {
      place = program.settings.runLength > 1 ? model.entryAlloca(b.getInt32Ty(), "thread") : nullptr;
      if (place)
        b.CreateStore(b.getInt32(0), place);
    }
  }

  void loadThread() {
    for (unsigned axis = 0; axis < 3; ++axis)
      warp.thread[axis] = threadPlaces[axis] ? b.CreateLoad(b.getInt32Ty(), threadPlaces[axis]) : nullptr;
    model.setWarp(warp);
  }

  /// Carries from axis to axis as in a sum: x wraps at the block's extent and adds 1 to y. With several runs, a warp
  /// has whole rows, and y advances by their number.
  void advanceThread() {
    if (program.settings.runLength == 1)
      return;
    const unsigned first = model.runCount() == 1 ? 0 : 1;
    Value *step = b.getInt32(first == 0 ? unsigned(lanes()) : model.runCount());
    for (unsigned axis = first; axis < 3; ++axis) {
      Value *next = b.CreateAdd(b.CreateLoad(b.getInt32Ty(), threadPlaces[axis]), step);
      Value *isOver = b.CreateICmpUGE(next, model.geometry(cpu::blockDimWord, axis));
      // z is past the end after the last warp, where nothing reads it.
      b.CreateStore(axis < 2 ? b.CreateSelect(isOver, b.getInt32(0), next) : next, threadPlaces[axis]);
      step = b.CreateZExt(isOver, b.getInt32Ty());
    }
  }

  void emitRegions(BlockRegions::ForEachWarp forEachWarp) {
    BlockRegions regions(emitter, model, program, forEachWarp);
    model.declareSlots(frame);
    writeParameters();
    regions.emitKernel(frame);
  }

  /// The storage is that of one warp: another place at which warps are emitted declares its own.
  void emitWarp(Value *remaining, bool isFull) {
    frame.storage.reset();
    model.declareSlots(frame);
    model.locate(request.kernel.span);
    writeParameters();
    model.emitKernelBody(frame, isFull ? nullptr : model.laneSets().below(remaining));
    b.SetCurrentDebugLocation(DebugLoc());
  }

  /// The worker's copies of tables, of operands that change nothing.
  /// The copies are part of the worker's context memory, a line of 64 bytes at a time.
  void beginTables() {
    for (const WorkerTable &table : program.analysis.tables) {
      const uint32_t offset = program.emission.contextBytes;
      // The most that a table may have: how much it has is known to launches only.
      program.emission.contextBytes += uint32_t(Facts::tableBytes);
      Value *const copy = b.CreateConstGEP1_64(b.getInt8Ty(), model.arenaPointer(cpu::ArenaPointer::Context), offset);
      copies[table.parameter] = copy;
      Constant *const neutral = neutralOf(table);
      const unsigned inLine = 64 / unsigned(elementOf(table)->bytes());
      Constant *const line = ConstantVector::getSplat(ElementCount::getFixed(inLine), neutral);
      Value *const bytes = b.CreateMul(elementCount(table), b.getInt64(elementOf(table)->bytes()));
      loop(b.getInt64(0), bytes, b.getInt64(64), "table",
           [&](Value *at) { b.CreateAlignedStore(line, b.CreateGEP(b.getInt8Ty(), copy, at), Align(64)); });
    }
  }

  /// `loop` runs once at least, so an empty table is tested for.
  void mergeTables() {
    for (const WorkerTable &table : program.analysis.tables) {
      const Type *const element = elementOf(table);
      llvm::Type *const type = emitter.llvmType(element);
      Value *const into = function->getArg(firstArgument(table.parameter));
      BasicBlock *const some = emitter.newBlock("table.merge"), *const none = emitter.newBlock("table.merged");
      Value *const count = elementCount(table);
      b.CreateCondBr(b.CreateICmpNE(count, b.getInt64(0)), some, none);
      b.SetInsertPoint(some);
      loop(b.getInt64(0), count, b.getInt64(1), "table", [&](Value *at) {
        Value *const made = b.CreateLoad(type, b.CreateGEP(type, copies[table.parameter], at));
        mergeElement(table, made, b.CreateGEP(type, into, at));
      });
      b.CreateBr(none);
      b.SetInsertPoint(none);
    }
  }

  /// Elements that the share has not changed stay alone: most of a table that few threads reach.
  /// Compares bits: the neutral operand of floats is -0.0, and a sum of 0.0 is a change.
  void mergeElement(const WorkerTable &table, Value *made, Value *into) {
    Constant *const neutral = neutralOf(table);
    llvm::Type *const bits = b.getIntNTy(made->getType()->getScalarSizeInBits());
    BasicBlock *const changed = emitter.newBlock("table.changed"), *const next = emitter.newBlock("table.next");
    b.CreateCondBr(b.CreateICmpNE(b.CreateBitCast(made, bits), ConstantExpr::getBitCast(neutral, bits)), changed, next);
    b.SetInsertPoint(changed);
    emitAtomic(b, {table.op, elementOf(table)->isSigned(), made}, into, true);
    b.CreateBr(next);
    b.SetInsertPoint(next);
  }

  Value *elementCount(const WorkerTable &table) {
    Value *count = b.getInt64(1);
    for (unsigned axis = 0; axis < request.kernel.slots[table.parameter]->type->ndim(); ++axis)
      count = b.CreateMul(count, function->getArg(firstArgument(table.parameter) + 1 + axis));
    return count;
  }
  Constant *neutralOf(const WorkerTable &table) {
    return neutralOperand(emitter.llvmType(elementOf(table)), table.op, elementOf(table)->isSigned());
  }
  const Type *elementOf(const WorkerTable &table) const {
    return request.kernel.slots[table.parameter]->type->element();
  }

  /// The position of the parameter's first leaf among the body's arguments.
  unsigned firstArgument(unsigned parameter) {
    unsigned first = 4;
    for (unsigned i = 0; i < parameter; ++i)
      first += emitter.leafCount(request.kernel.slots[i]->type);
    return first;
  }

  /// Extents that the facts state are constants. A table's pointer is that of the worker's copy, so that the kernel's
  /// atomic operations reach it without knowing of it.
  void writeParameters() {
    unsigned next = 4;
    const KnownExtents extents(request.kernel, request.options.facts);
    for (uint32_t i = 0; i < request.kernel.parameterCount; ++i) {
      const typed::Slot &slot = *request.kernel.slots[i];
      Lanes value;
      for (unsigned leaf = 0; leaf < emitter.leafCount(slot.type); ++leaf, ++next) {
        const int64_t extent = leaf == 0 ? 0 : extents.ofParameter(slot, leaf - 1);
        value.push_back(extent == 0 ? static_cast<Value *>(function->getArg(next)) : emitter.int64(extent));
      }
      if (const auto copy = copies.find(i); copy != copies.end())
        value[0] = copy->second;
      model.writeSlot(frame, slot, value);
    }
  }

  /// Leaves lie at multiples of their sizes, and a bool takes a byte.
  Value *loadParameter(Value *block, const ParameterLeaf &leaf, llvm::Type *type) {
    Value *address = b.CreateConstGEP1_32(b.getInt8Ty(), block, leaf.offset);
    const bool isFlag = type->isIntegerTy(1);
    LoadInst *load = b.CreateAlignedLoad(isFlag ? b.getInt8Ty() : type, address, Align(leaf.bytes));
    return isFlag ? b.CreateICmpNE(load, b.getInt8(0)) : load;
  }

  Module &module;
  WarpProgram &program;
  const CpuKernelRequest &request;
  WarpModel model;
  Emitter emitter;
  IRBuilder<> &b;
  Frame frame;
  WarpIdentity warp;
  Function *function = nullptr;
  AllocaInst *threadPlaces[3] = {};
  std::map<unsigned, Value *> copies; ///< of tables, by parameter
};

} // namespace

/// What is dynamic in shared memory begins after what is static, at a place that is known only now: code that was
/// emitted before reads it from a constant.
bool emitCpuKernel(Module &module, WarpProgram &program, const CpuKernelRequest &request) {
  program.shapes.changed = false;
  program.emission = {};
  Emission &emission = program.emission;
  constexpr unsigned dwarfVersion = 4;
  if (auto wanted = DebugInfo::wantedBy(program.analysis.options, dwarfVersion)) {
    wanted->lanes = program.settings.lanes;
    wanted->hasVersions = true;
    emission.debug = std::make_unique<DebugInfo>(module, request.options.source, *wanted);
  }
  KernelEntry(module, program, request).emit();
  if (emission.debug)
    emission.debug->finish();
  emission.debug.reset(); // it refers to the module
  if (emission.dynamicOffset) {
    emission.sharedBytes = alignTo(emission.sharedBytes, 128);
    emission.dynamicOffset->setInitializer(
        ConstantInt::get(emission.dynamicOffset->getValueType(), emission.sharedBytes));
  }
  return !program.shapes.changed;
}

} // namespace treadle::codegen
