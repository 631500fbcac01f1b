// WarpModel: warp collectives. The lanes are one vector, so no lane has to wait.
#include "border/kernel_abi.h"
#include "codegen/cpu/warp/warp_model.h"
#include "support/error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <numeric>

using namespace llvm;

namespace treadle::codegen {

/// Kinds go to the runtime as numbers.
static_assert(unsigned(BarrierKind::Count) == cpu::BarrierCall::Count);
static_assert(unsigned(BarrierKind::And) == cpu::BarrierCall::And);
static_assert(unsigned(BarrierKind::Or) == cpu::BarrierCall::Or);
static_assert(unsigned(BarrierKind::Grid) == cpu::BarrierCall::Grid);
static_assert(unsigned(BarrierKind::Cluster) == cpu::BarrierCall::Cluster);
static_assert(unsigned(BarrierKind::ClusterWait) == cpu::BarrierCall::ClusterWait);

namespace {

/// Emits one operation. `there`: bits of the participating lanes, i32.
class Collective {
public:
  /// `there` null: the active lanes.
  Collective(Emitter &e, WarpModel &model, VectorIsa isa, Value *participants)
      : there(participants ? participants : bitsOf(e.builder, model.maskOrAll())), e(e), b(e.builder), model(model),
        isa(isa) {}

  /// A uniform value is the same in every source lane. One source for all lanes makes the result uniform; one distance
  /// for all lanes is a rotation, where no instruction permutes by a vector; any other source is a permutation.
  Leaf shuffle(WarpOperation op, ArrayRef<Leaf> operands) {
    const Leaf &value = operands[1];
    if (isUniform(value))
      return value;
    Leaf step = e.apply(operands[2], [&](ArrayRef<Value *> v) {
      return b.CreateAnd(v[0], ConstantInt::get(v[0]->getType(), warpLanes - 1));
    });
    auto *width = dyn_cast<ConstantInt>(operands[3].value);
    const bool isWhole = width && width->equalsInt(warpLanes);
    Value *vector = model.splat(value);
    if (op == WarpOperation::ShuffleIndex && isWhole && isUniform(step))
      return b.CreateExtractElement(vector, step.value);
    const Reach reach = reachOf(op, model.splat(step), model.splat(operands[3]));
    if (op != WarpOperation::ShuffleIndex && isUniform(step) && !isLookup(vector))
      return b.CreateSelect(reach.isInside, moveAll(op, vector, step.value), vector);
    return permute(vector,
                   reach.isInside ? b.CreateSelect(reach.isInside, reach.source, model.laneNumbers(32)) : reach.source);
  }

  /// Lanes that do not take part vote neither yes nor no. Each lane counts the votes of its own member mask, which may
  /// differ from lane to lane; in most programs it is one constant, and so is the shape of the result.
  Leaf vote(WarpOperation op, ArrayRef<Leaf> operands) {
    Value *votes = isUniform(operands[1]) ? b.CreateSelect(operands[1].value, there, b.getInt32(0))
                                          : b.CreateAnd(there, bitsOf(b, model.splat(operands[1])));
    return e.apply(operands[0], [&](ArrayRef<Value *> v) -> Value * {
      auto shaped = [&](Value *bits) {
        return v[0]->getType()->isVectorTy() ? b.CreateVectorSplat(warpLanes, bits) : bits;
      };
      Value *zero = Constant::getNullValue(v[0]->getType());
      Value *yes = b.CreateAnd(shaped(votes), v[0]);
      if (op == WarpOperation::Ballot)
        return yes;
      Value *no = b.CreateAnd(shaped(b.CreateAnd(there, b.CreateNot(votes))), v[0]);
      Value *none = b.CreateICmpEQ(yes, zero), *all = b.CreateICmpEQ(no, zero);
      if (op == WarpOperation::VoteAny)
        return b.CreateNot(none);
      return op == WarpOperation::VoteAll ? all : b.CreateOr(none, all);
    });
  }

  /// A uniform value matches in all members.
  Lanes match(WarpOperation op, ArrayRef<Leaf> operands) {
    const bool isAny = op == WarpOperation::MatchAny;
    Leaf group = isUniform(operands[1]) ? e.apply(operands[0],
                                                  [&](ArrayRef<Value *> v) {
                                                    return b.CreateAnd(v[0], v[0]->getType()->isVectorTy()
                                                                                 ? b.CreateVectorSplat(warpLanes, there)
                                                                                 : there);
                                                  })
                                        : matchLanes(isAny, operands[0], model.splat(operands[1]));
    if (isAny)
      return {group};
    Leaf all = e.apply(
        group, [&](ArrayRef<Value *> v) { return b.CreateICmpNE(v[0], Constant::getNullValue(v[0]->getType())); });
    return {group, all};
  }

  Value *there;

private:
  /// The source lane of each lane: itself if the rule leads out of its segment of `width` lanes.
  struct Reach {
    Value *source;
    Value *isInside; ///< null: always
  };
  /// Widths are powers of two, so a lane's segment is found by masks.
  Reach reachOf(WarpOperation op, Value *step, Value *width) {
    Value *lane = model.laneNumbers(32);
    Value *within = b.CreateSub(width, b.CreateVectorSplat(warpLanes, b.getInt32(1)));
    Value *first = b.CreateAnd(lane, b.CreateNot(within)), *last = b.CreateOr(lane, within);
    Value *source;
    switch (op) {
    case WarpOperation::ShuffleIndex:
      return {b.CreateOr(first, b.CreateAnd(step, within)), nullptr};
    case WarpOperation::ShuffleUp:
      source = b.CreateSub(lane, step);
      return {source, b.CreateICmpSGE(source, first)};
    case WarpOperation::ShuffleDown:
      source = b.CreateAdd(lane, step);
      return {source, b.CreateICmpSLE(source, last)};
    // As on GPUs, segments before the lane's own can be read, and those after it cannot.
    default:
      source = b.CreateXor(lane, step);
      return {source, b.CreateICmpSLE(source, last)};
    }
  }

  /// Whether one instruction permutes elements by a vector of indices.
  bool isLookup(Value *vector) const {
    const unsigned bits = vector->getType()->getScalarSizeInBits();
    return isa == VectorIsa::Avx512 && (bits == 32 || bits == 64);
  }

  /// Rotates all lanes by one distance: one fixed rotation for each bit of the distance. If the distance turns out to
  /// be constant, LLVM reduces them to one.
  Value *moveAll(WarpOperation op, Value *vector, Value *distance) {
    for (unsigned bit = 1; bit < warpLanes; bit *= 2) {
      SmallVector<int, warpLanes> lanes;
      for (unsigned lane = 0; lane < warpLanes; ++lane)
        lanes.push_back(int(op == WarpOperation::ShuffleXor  ? lane ^ bit
                            : op == WarpOperation::ShuffleUp ? (lane - bit) % warpLanes
                                                             : (lane + bit) % warpLanes));
      Value *isSet = b.CreateICmpNE(b.CreateAnd(distance, ConstantInt::get(distance->getType(), bit)),
                                    Constant::getNullValue(distance->getType()));
      vector = b.CreateSelect(isSet, b.CreateShuffleVector(vector, lanes), vector);
    }
    return vector;
  }

  /// Without an instruction, by way of memory: a gather from a table, which LLVM expands where there is none for that,
  /// too.
  Value *permute(Value *vector, Value *source) {
    if (auto *constant = dyn_cast<Constant>(source)) {
      SmallVector<int, warpLanes> lanes;
      for (unsigned lane = 0; lane < warpLanes; ++lane)
        lanes.push_back(int(cast<ConstantInt>(constant->getAggregateElement(lane))->getZExtValue()));
      return b.CreateShuffleVector(vector, lanes);
    }
    const unsigned bits = vector->getType()->getScalarSizeInBits();
    if (isLookup(vector))
      return bits == 32 ? permuteWords(vector, source) : permuteWide(vector, source);
    AllocaInst *table = model.entryAlloca(vector->getType(), "lanes");
    b.CreateStore(vector, table);
    Value *places =
        b.CreateGEP(vector->getType()->getScalarType(), table, b.CreateZExt(source, model.vectorOf(b.getInt64Ty())));
    return b.CreateMaskedGather(vector->getType(), places, Align(bits / 8), model.laneSets().all());
  }

  /// Warp functions keep warps at 32 lanes, so a half has 16.
  Value *half(Value *vector, unsigned first) {
    SmallVector<int, 16> lanes(16);
    std::iota(lanes.begin(), lanes.end(), int(first));
    return b.CreateShuffleVector(vector, lanes);
  }

  /// A table of 32 words is two registers, which one instruction permutes.
  Value *permuteWords(Value *vector, Value *source) {
    Value *words = b.CreateBitCast(vector, model.vectorOf(b.getInt32Ty()));
    Value *low = half(words, 0), *high = half(words, 16);
    Value *parts[2];
    for (unsigned part : {0u, 1u})
      parts[part] = b.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_d_512, {}, {low, half(source, part * 16), high});
    SmallVector<int, warpLanes> lanes(warpLanes);
    std::iota(lanes.begin(), lanes.end(), 0);
    return b.CreateBitCast(b.CreateShuffleVector(parts[0], parts[1], lanes), vector->getType());
  }

  /// The halves of 64 bits are permuted as words: 32 of these are two registers, 32 of those would be four.
  Value *permuteWide(Value *vector, Value *source) {
    llvm::Type *wide = model.vectorOf(b.getInt64Ty()), *narrow = model.vectorOf(b.getInt32Ty());
    Value *bits = b.CreateBitCast(vector, wide);
    Value *low = permuteWords(b.CreateTrunc(bits, narrow), source);
    Value *high = permuteWords(b.CreateTrunc(b.CreateLShr(bits, 32), narrow), source);
    return b.CreateBitCast(b.CreateOr(b.CreateZExt(low, wide), b.CreateShl(b.CreateZExt(high, wide), 32)),
                           vector->getType());
  }

  /// One round for each distinct value (and mask): it handles the lanes that have the value of the first remaining
  /// lane.
  Value *matchLanes(bool isAny, const Leaf &members, Value *vector) {
    Value *bits = b.CreateBitCast(vector, model.vectorOf(b.getIntNTy(vector->getType()->getScalarSizeInBits())));
    AllocaInst *left = model.entryAlloca(b.getInt32Ty(), "left");
    AllocaInst *result = model.entryAlloca(model.vectorOf(b.getInt32Ty()), "groups");
    b.CreateStore(there, left);
    b.CreateStore(Constant::getNullValue(result->getAllocatedType()), result);
    BasicBlock *head = e.newBlock("match"), *round = e.newBlock("match.round"), *done = e.newBlock("matched");
    b.CreateBr(head);
    b.SetInsertPoint(head);
    Value *rest = b.CreateLoad(b.getInt32Ty(), left);
    b.CreateCondBr(b.CreateICmpNE(rest, b.getInt32(0)), round, done);
    b.SetInsertPoint(round);
    Value *leader = b.CreateBinaryIntrinsic(Intrinsic::cttz, rest, b.getTrue());
    Value *sameValue = lanesEqual(bits, leader), *named = there, *sameMask = there;
    if (isUniform(members)) {
      named = b.CreateAnd(named, members.value);
    } else {
      Value *masks = model.splat(members);
      sameMask = b.CreateAnd(sameMask, lanesEqual(masks, leader));
      named = b.CreateAnd(named, b.CreateExtractElement(masks, leader));
    }
    // The leader's group is what it names and has its value. Lanes with that value that name other members are left for
    // a round of their own.
    Value *group = b.CreateAnd(named, sameValue), *answered = b.CreateAnd(sameMask, sameValue);
    if (!isAny) {
      group = b.CreateSelect(b.CreateICmpEQ(group, named), named, b.getInt32(0));
      answered = sameMask;
    }
    Value *lanes = model.laneSets().of(answered);
    Value *old = b.CreateLoad(result->getAllocatedType(), result);
    b.CreateStore(b.CreateSelect(lanes, b.CreateVectorSplat(warpLanes, group), old), result);
    Value *leaderBit = b.CreateShl(b.getInt32(1), leader);
    b.CreateStore(b.CreateAnd(rest, b.CreateNot(b.CreateOr(answered, leaderBit))), left);
    b.CreateBr(head);
    b.SetInsertPoint(done);
    return b.CreateLoad(result->getAllocatedType(), result);
  }

  /// Bits of the lanes whose element equals that of lane `which`.
  Value *lanesEqual(Value *vector, Value *which) {
    Value *wanted = b.CreateVectorSplat(warpLanes, b.CreateExtractElement(vector, which));
    return bitsOf(b, b.CreateICmpEQ(vector, wanted));
  }

  Emitter &e;
  IRBuilder<> &b;
  WarpModel &model;
  VectorIsa isa;
};

} // namespace

/// When a fiber splits, the masks of all callers lose lanes: they must be in the same LLVM function (`keepOnly`).
bool WarpModel::mustInline(const TypedFunction &callee) {
  return program.analysis.usesFibers &&
         (callee.hasBarrier || callee.hasWarpOps || program.analysis.waiting->mayWaitIn(callee));
}

/// Without fibers, a warp function is refused wherever some lane might be elsewhere. A block runs on one host thread,
/// so its fences only keep LLVM from reordering; other fences are the processor's.
Lanes WarpModel::warpOp(const typed::WarpOp &op, ArrayRef<Leaf> given) {
  IRBuilder<> &b = e->builder;
  SmallVector<Leaf, 4> operands(given);
  Value *there = nullptr;
  if (!program.analysis.usesFibers && isSynchronizing(op.op) && !isWholeFiber())
    throw NeedsFibers{}; // it may wait for lanes that are elsewhere
  if (program.analysis.usesFibers && isSynchronizing(op.op))
    there = gatherLanes(op, given, operands.size() > 1 ? &operands[1] : nullptr);
  if (op.op == WarpOperation::BarrierResult)
    return {Leaf(b.CreateLoad(b.getInt32Ty(), barrierResult()))};
  Collective collective(*e, *this, program.settings.isa, there);
  switch (op.op) {
  case WarpOperation::ShuffleIndex:
  case WarpOperation::ShuffleUp:
  case WarpOperation::ShuffleDown:
  case WarpOperation::ShuffleXor:
    return {collective.shuffle(op.op, operands)};
  case WarpOperation::VoteAll:
  case WarpOperation::VoteAny:
  case WarpOperation::VoteEqual:
  case WarpOperation::Ballot:
    return {collective.vote(op.op, operands)};
  case WarpOperation::MatchAny:
  case WarpOperation::MatchAll:
    return collective.match(op.op, operands);
  case WarpOperation::ActiveMask:
    return {Leaf(collective.there)};
  case WarpOperation::ClusterArrive: // the blocks of a cluster synchronise where they wait
  case WarpOperation::ClusterArriveRelaxed:
  case WarpOperation::FenceDevice:
  case WarpOperation::FenceSystem:
    b.CreateFence(AtomicOrdering::SequentiallyConsistent);
    return {};
  case WarpOperation::SyncWarp: // lanes are in step
  case WarpOperation::FenceBlock:
    b.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
    return {};
  case WarpOperation::Clock:
    return {Leaf(b.CreateTrunc(b.CreateIntrinsic(Intrinsic::readcyclecounter, {}, {}), b.getInt32Ty()))};
  case WarpOperation::Clock64:
    return {Leaf(b.CreateIntrinsic(Intrinsic::readcyclecounter, {}, {}))};
  case WarpOperation::GlobalTimer:
    return {
        Leaf(b.CreateCall(e->module.getOrInsertFunction(cpu::timerSymbol, FunctionType::get(b.getInt64Ty(), false))))};
  case WarpOperation::Breakpoint:
    breakpoint();
    return {};
  // Loops that wait give others a turn anyway.
  case WarpOperation::NanoSleep:
    return {};
  case WarpOperation::BarrierResult:
    break;
  }
  failCheck("a known warp operation", __FILE__, __LINE__);
}

/// If any lane is active.
void WarpModel::breakpoint() {
  IRBuilder<> &b = e->builder;
  auto call = [&] {
    b.CreateCall(e->module.getOrInsertFunction(cpu::breakpointSymbol, FunctionType::get(b.getVoidTy(), false)));
  };
  if (!mask)
    return call();
  BasicBlock *stop = e->newBlock("breakpoint"), *done = e->newBlock("done");
  b.CreateCondBr(b.CreateICmpNE(bitsOf(b, mask), b.getInt32(0)), stop, done);
  b.SetInsertPoint(stop);
  call();
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

/// The result of barriers. One place per block suffices, as every thread reads it before the next barrier.
AllocaInst *WarpModel::barrierResult() {
  if (!barrierResultPlace || barrierResultPlace->getFunction() != e->builder.GetInsertBlock()->getParent())
    barrierResultPlace = entryAlloca(e->builder.getInt32Ty(), "barrier.result");
  return barrierResultPlace;
}

/// Barriers without fibers are BlockRegions', and one that arrives here is in a place that has no regions.
void WarpModel::emitBarrier(const typed::Barrier &statement) {
  if (!program.analysis.usesFibers)
    throw NeedsFibers{};
  IRBuilder<> &b = e->builder;
  Value *votes = b.getInt32(0);
  if (statement.predicate)
    votes = bitsOf(b, splat(e->emitLeaf(*statement.predicate)));
  Value *answer = callWaiting(cpu::barrierSymbol, {b.getInt32(unsigned(statement.barrier)), votes});
  b.CreateStore(b.CreateTrunc(b.CreateLShr(answer, 32), b.getInt32Ty()), barrierResult());
}

} // namespace treadle::codegen
