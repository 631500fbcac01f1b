// Barriers, fences and warp collectives: one instruction each.
#include "codegen/ptx/ptx_lane_model.h"
#include "support/error.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace treadle::codegen::ptx {

using namespace llvm;

/// bar.sync assumes that all threads of a warp arrive together; barrier.sync counts threads, and is slower.
void PtxLaneModel::syncThreads(const typed::Barrier &statement) {
  if (divergentBarriers.contains(&statement))
    e->builder.CreateIntrinsic(Intrinsic::nvvm_barrier_sync, {}, {e->builder.getInt32(0)});
  else
    e->builder.CreateIntrinsic(Intrinsic::nvvm_barrier0, {}, {});
}

/// Arrival and wait are two instructions; a kind that only waits belongs to an arrival that the program has made
/// itself.
void PtxLaneModel::syncCluster(const typed::Barrier &statement) {
  const bool isApart = divergentBarriers.contains(&statement);
  auto emit = [&](unsigned apart, unsigned aligned) { e->builder.CreateIntrinsic(isApart ? apart : aligned, {}, {}); };
  if (statement.barrier == BarrierKind::Cluster)
    emit(Intrinsic::nvvm_barrier_cluster_arrive, Intrinsic::nvvm_barrier_cluster_arrive_aligned);
  emit(Intrinsic::nvvm_barrier_cluster_wait, Intrinsic::nvvm_barrier_cluster_wait_aligned);
}

/// LLVM has intrinsics for the aligned forms only.
Value *PtxLaneModel::reduceApart(BarrierKind kind, Value *predicate) {
  IRBuilder<> &b = e->builder;
  std::string text = "{ .reg .pred p, q; setp.ne.u32 p, $1, 0; ";
  if (kind == BarrierKind::Count)
    text += "barrier.red.popc.u32 $0, 0, p; }";
  else
    text += std::string("barrier.red.") + (kind == BarrierKind::And ? "and" : "or") +
            ".pred q, 0, p; selp.u32 $0, 1, 0, q; }";
  auto *type = FunctionType::get(b.getInt32Ty(), {b.getInt32Ty()}, false);
  CallInst *call = b.CreateCall(InlineAsm::get(type, text, "=r,r,~{memory}", /*hasSideEffects=*/true), {predicate});
  call->setConvergent();
  return call;
}

/// The result is kept for BarrierResult, which the tree has right after the statement and in the same list.
void PtxLaneModel::emitBarrier(const typed::Barrier &statement) {
  IRBuilder<> &b = e->builder;
  if (statement.barrier == BarrierKind::Grid)
    return emitGridBarrier(statement);
  if (isOfCluster(statement.barrier))
    return syncCluster(statement);
  if (!statement.predicate)
    return syncThreads(statement);
  const unsigned reduction = statement.barrier == BarrierKind::Count ? Intrinsic::nvvm_barrier0_popc
                             : statement.barrier == BarrierKind::And ? Intrinsic::nvvm_barrier0_and
                                                                     : Intrinsic::nvvm_barrier0_or;
  Value *predicate = b.CreateZExt(e->emitLeaf(*statement.predicate).value, b.getInt32Ty());
  barrierResult = divergentBarriers.contains(&statement) ? reduceApart(statement.barrier, predicate)
                                                         : b.CreateIntrinsic(reduction, {}, {predicate});
  // For true, the instruction returns any number other than 0.
  if (statement.barrier != BarrierKind::Count)
    barrierResult = b.CreateZExt(b.CreateICmpNE(barrierResult, b.getInt32(0)), b.getInt32Ty());
}

/// The blocks of the grid count arrivals in one word, whose top bit is the parity of the round. The first block adds
/// the number that makes the count flip this bit, so that the other bits return to their initial value without a reset.
void PtxLaneModel::emitGridBarrier(const typed::Barrier &statement) {
  IRBuilder<> &b = e->builder;
  if (!gridBarrierWord)
    refuseGridBarrier();
  auto product = [&](Operation x, Operation y, Operation z) {
    auto one = [&](Operation op) { return identity(op, types::int32()).value; };
    return b.CreateMul(b.CreateMul(one(x), one(y)), one(z));
  };
  auto isFirst = [&](Operation x, Operation y, Operation z) {
    auto one = [&](Operation op) { return identity(op, types::int32()).value; };
    return b.CreateICmpEQ(b.CreateOr(b.CreateOr(one(x), one(y)), one(z)), b.getInt32(0));
  };
  syncThreads(statement);
  BasicBlock *leader = e->newBlock("grid.leader"), *wait = e->newBlock("grid.wait"), *done = e->newBlock("grid.done");
  b.CreateCondBr(isFirst(Operation::ThreadIdxX, Operation::ThreadIdxY, Operation::ThreadIdxZ), leader, done);
  b.SetInsertPoint(leader);
  // What the block's threads have written is visible to the grid before the block counts as arrived.
  b.CreateIntrinsic(Intrinsic::nvvm_membar_gl, {}, {});
  Value *blocks = product(Operation::GridDimX, Operation::GridDimY, Operation::GridDimZ);
  // With one from each of the other blocks, the round adds 0x80000000.
  Value *closing = b.CreateSub(b.getInt32(0x80000001), blocks);
  Value *step =
      b.CreateSelect(isFirst(Operation::BlockIdxX, Operation::BlockIdxY, Operation::BlockIdxZ), closing, b.getInt32(1));
  Value *before = b.CreateAtomicRMW(AtomicRMWInst::Add, gridBarrierWord, step, Align(4), AtomicOrdering::Monotonic);
  b.CreateBr(wait);
  b.SetInsertPoint(wait);
  Value *now = b.CreateAlignedLoad(b.getInt32Ty(), gridBarrierWord, Align(4), /*isVolatile=*/true);
  // `before` has the parity of the last round: the barrier is open once the top bits differ.
  Value *isOpen = b.CreateICmpSLT(b.CreateXor(before, now), b.getInt32(0));
  // Threads ended by a failed check are not counted, and the grid must not wait for them.
  if (options.debug)
    isOpen = b.CreateOr(
        isOpen, b.CreateICmpNE(b.CreateAlignedLoad(b.getInt32Ty(), errorRecord(), Align(4), true), b.getInt32(0)));
  b.CreateCondBr(isOpen, done, wait);
  b.SetInsertPoint(done);
  b.CreateIntrinsic(Intrinsic::nvvm_membar_gl, {}, {});
  syncThreads(statement);
}

void PtxLaneModel::refuseGridBarrier() const {
  Diagnostic diagnostic;
  diagnostic.kind = CompileErrorKind::Unsupported;
  diagnostic.message = "a device function that synchronises the grid cannot be compiled without its kernel";
  diagnostic.span = e->frame->function->span;
  diagnostic.source = e->frame->function->source;
  diagnostic.remedy = "compile the kernel that calls it";
  throw CompileError(diagnostic);
}

namespace {

/// One shuffle of 32 bits.
Value *shuffleWord(IRBuilder<> &b, WarpOperation op, ArrayRef<Value *> operands, Value *word) {
  const unsigned intrinsic = op == WarpOperation::ShuffleIndex  ? Intrinsic::nvvm_shfl_sync_idx_i32
                             : op == WarpOperation::ShuffleUp   ? Intrinsic::nvvm_shfl_sync_up_i32
                             : op == WarpOperation::ShuffleDown ? Intrinsic::nvvm_shfl_sync_down_i32
                                                                : Intrinsic::nvvm_shfl_sync_bfly_i32;
  // Bits 8 to 12: lanes that agree in these bits of their number form a segment; bits 0 to 4: the last lane (for up,
  // the first).
  Value *segment = b.CreateShl(b.CreateSub(b.getInt32(32), operands[3]), 8);
  Value *clamp = op == WarpOperation::ShuffleUp ? segment : b.CreateOr(segment, 0x1f);
  return b.CreateIntrinsic(intrinsic, {}, {operands[0], word, operands[2], clamp});
}

/// Floats by their bits: the instruction moves words and does not look at them.
Value *shuffle(IRBuilder<> &b, WarpOperation op, ArrayRef<Value *> operands) {
  Value *value = operands[1];
  llvm::Type *type = value->getType();
  Value *bits = b.CreateBitCast(value, b.getIntNTy(type->getPrimitiveSizeInBits()));
  if (bits->getType()->isIntegerTy(32))
    return b.CreateBitCast(shuffleWord(b, op, operands, bits), type);
  Value *low = shuffleWord(b, op, operands, b.CreateTrunc(bits, b.getInt32Ty()));
  Value *high = shuffleWord(b, op, operands, b.CreateTrunc(b.CreateLShr(bits, 32), b.getInt32Ty()));
  Value *both = b.CreateOr(b.CreateZExt(low, b.getInt64Ty()), b.CreateShl(b.CreateZExt(high, b.getInt64Ty()), 32));
  return b.CreateBitCast(both, type);
}

/// Compares bits: -0.0 and 0.0 do not match, and equal NaN do.
Lanes match(IRBuilder<> &b, WarpOperation op, ArrayRef<Value *> operands) {
  Value *bits = b.CreateBitCast(operands[1], b.getIntNTy(operands[1]->getType()->getPrimitiveSizeInBits()));
  const bool isWide = bits->getType()->isIntegerTy(64);
  if (op == WarpOperation::MatchAny)
    return {Leaf(b.CreateIntrinsic(isWide ? Intrinsic::nvvm_match_any_sync_i64 : Intrinsic::nvvm_match_any_sync_i32, {},
                                   {operands[0], bits}))};
  Value *both = b.CreateIntrinsic(isWide ? Intrinsic::nvvm_match_all_sync_i64p : Intrinsic::nvvm_match_all_sync_i32p,
                                  {}, {operands[0], bits});
  return {Leaf(b.CreateExtractValue(both, 0)), Leaf(b.CreateExtractValue(both, 1))};
}

/// An instruction that must not be dropped, moved, or made control-dependent on more branches.
struct Instruction {
  const char *text;
  const char *constraints;
};

Value *emitInstruction(IRBuilder<> &b, llvm::Type *result, const Instruction &instruction, ArrayRef<Value *> operands) {
  SmallVector<llvm::Type *, 1> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *code = InlineAsm::get(FunctionType::get(result, types, false), instruction.text, instruction.constraints,
                              /*hasSideEffects=*/true);
  CallInst *call = b.CreateCall(code, operands);
  call->addFnAttr(Attribute::Convergent);
  call->addFnAttr(Attribute::NoUnwind);
  return call;
}

} // namespace

/// Inline assembly: LLVM's intrinsic says that the array does not escape, so that stores to it could be dropped.
Leaf PtxLaneModel::peerPointer(const Leaf &pointer, const Leaf &rank) {
  IRBuilder<> &b = e->builder;
  auto *type = FunctionType::get(b.getPtrTy(), {b.getPtrTy(), b.getInt32Ty()}, false);
  auto *code = InlineAsm::get(type, "mapa.u64 $0, $1, $2;", "=l,l,r", /*hasSideEffects=*/false);
  CallInst *call = b.CreateCall(code, {pointer.value, rank.value});
  call->addFnAttr(Attribute::NoUnwind);
  return call;
}

/// LLVM's intrinsics are convergent. Where it has none, or one that it may move, inline assembly with side effects
/// stands in: clocks must be read where the program reads them.
Lanes PtxLaneModel::warpOp(const typed::WarpOp &op, ArrayRef<Leaf> leaves) {
  IRBuilder<> &b = e->builder;
  SmallVector<Value *, 4> operands;
  for (const Leaf &leaf : leaves)
    operands.push_back(leaf.value);
  auto call = [&](unsigned intrinsic) { return b.CreateIntrinsic(intrinsic, {}, operands); };
  switch (op.op) {
  case WarpOperation::ShuffleIndex:
  case WarpOperation::ShuffleUp:
  case WarpOperation::ShuffleDown:
  case WarpOperation::ShuffleXor:
    return {Leaf(shuffle(b, op.op, operands))};
  case WarpOperation::VoteAll:
    return {Leaf(call(Intrinsic::nvvm_vote_all_sync))};
  case WarpOperation::VoteAny:
    return {Leaf(call(Intrinsic::nvvm_vote_any_sync))};
  case WarpOperation::VoteEqual:
    return {Leaf(call(Intrinsic::nvvm_vote_uni_sync))};
  case WarpOperation::Ballot:
    return {Leaf(call(Intrinsic::nvvm_vote_ballot_sync))};
  case WarpOperation::MatchAny:
  case WarpOperation::MatchAll:
    return match(b, op.op, operands);
  case WarpOperation::ActiveMask:
    return {Leaf(emitInstruction(b, b.getInt32Ty(), {"activemask.b32 $0;", "=r"}, {}))};
  case WarpOperation::SyncWarp:
    call(Intrinsic::nvvm_bar_warp_sync);
    return {};
  case WarpOperation::FenceBlock:
    call(Intrinsic::nvvm_membar_cta);
    return {};
  case WarpOperation::FenceDevice:
    call(Intrinsic::nvvm_membar_gl);
    return {};
  case WarpOperation::FenceSystem:
    call(Intrinsic::nvvm_membar_sys);
    return {};
  case WarpOperation::ClusterArrive:
    call(Intrinsic::nvvm_barrier_cluster_arrive);
    return {};
  case WarpOperation::ClusterArriveRelaxed:
    call(Intrinsic::nvvm_barrier_cluster_arrive_relaxed);
    return {};
  case WarpOperation::Breakpoint:
    emitInstruction(b, b.getVoidTy(), {"brkpt;", "~{memory}"}, {});
    return {};
  case WarpOperation::Clock:
    return {Leaf(emitInstruction(b, b.getInt32Ty(), {"mov.u32 $0, %clock;", "=r,~{memory}"}, {}))};
  case WarpOperation::Clock64:
    return {Leaf(emitInstruction(b, b.getInt64Ty(), {"mov.u64 $0, %clock64;", "=l,~{memory}"}, {}))};
  case WarpOperation::GlobalTimer:
    return {Leaf(emitInstruction(b, b.getInt64Ty(), {"mov.u64 $0, %globaltimer;", "=l,~{memory}"}, {}))};
  case WarpOperation::NanoSleep:
    emitInstruction(b, b.getVoidTy(), {"nanosleep.u32 $0;", "r,~{memory}"}, operands);
    return {};
  case WarpOperation::BarrierResult:
    return {Leaf(barrierResult)};
  }
  failCheck("a known warp operation", __FILE__, __LINE__);
}

} // namespace treadle::codegen::ptx
