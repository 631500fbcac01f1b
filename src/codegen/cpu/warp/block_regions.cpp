// BlockRegions: kernels with barriers.
#include "codegen/cpu/warp/block_regions.h"

#include "border/kernel_abi.h"
#include "support/error.h"
#include "typed/walk.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

/// A function whose statements are being cut into regions.
struct BlockRegions::Activation {
  Frame *frame = nullptr;
  BlockPlan plan;
  /// A leaf of a slot, or one of its strides.
  struct KeptValue {
    uint32_t slot;
    unsigned leaf, part; ///< part: as in SlotStorage::Place::parts()
    auto operator<=>(const KeptValue &) const = default;
  };
  std::map<KeptValue, uint32_t> offsets; ///< offsets in the context; ~0u: none yet
  uint32_t aliveOffset = ~0u;
  const LivenessTable *liveness = nullptr;
};

/// Threads that have all returned skip the rest of the block; that is a branch to `end`.
void BlockRegions::emitKernel(Frame &frame) {
  Activation activation;
  activation.frame = &frame;
  enter(activation);
  emitList(activation, frame.function->body);
  if (!end)
    return;
  if (!e.builder.GetInsertBlock()->getTerminator())
    e.builder.CreateBr(end);
  e.builder.SetInsertPoint(end);
}

void BlockRegions::enter(Activation &activation) {
  Frame &frame = *activation.frame;
  WarpFrame &data = model.storage(frame);
  activation.liveness = data.liveness;
  activation.plan = planBlocks(*frame.function, usesOf(activation), *data.liveness,
                               {program.analysis.stridedLoops, program.analysis.facts.laneAxis});
  const bool returnsApart = program.shapes.diverges(data.activation, nullptr);
  // A check that fails at block level is reported for the block's first thread, which must not have returned.
  if (!activation.plan.isSound || (returnsApart && model.options().debug))
    throw NeedsFibers{};
  if (returnsApart)
    data.alive = model.laneSets().make(model.laneSets().all(), "alive");
  // Parameters that threads assign to, and the set of threads still in the function, start out in every warp's context.
  SmallVector<uint32_t, 4> assigned;
  for (uint32_t slot = 0; slot < frame.function->parameterCount; ++slot)
    if (activation.plan.crossing.test(slot))
      assigned.push_back(slot);
  if (!returnsApart && assigned.empty())
    return;
  forEachWarp(nullptr, [&](Value *) {
    for (uint32_t slot : assigned)
      exchange(activation, slot, false);
    if (returnsApart)
      exchangeLanes(data.alive, activation.aliveOffset, false);
  });
}

/// The longest runs of statements without a barrier are the regions: fewer regions exchange fewer values with the
/// context.
void BlockRegions::emitList(Activation &activation, typed::Body body) {
  for (size_t first = 0; first < body.size();) {
    size_t last = first;
    while (last < body.size() && !activation.plan.isBlock(*body[last]))
      ++last;
    if (last > first) {
      const Run run = body.subspan(first, last - first);
      emitRegion(activation, activation.liveness->before(*run[0]), run, [&] { model.emitBody(run); });
      first = last;
      continue;
    }
    emitBlockStatement(activation, *body[first]);
    if (e.builder.GetInsertBlock()->getTerminator())
      return;
    ++first;
  }
}

const Uses &BlockRegions::usesOf(const Activation &activation) const {
  return program.analysis.uses.of(*activation.frame->function);
}

namespace {

/// In a device function that was expanded into the kernel there is no return left, so each one found ends threads.
bool returns(typed::Body statements) {
  return anyNode(statements, typed::NoNode(),
                 [](const typed::Stmt &node) { return node.kind == typed::StmtKind::Return; });
}

} // namespace

/// Places are reserved when they are first needed, for as many warps as the largest block has. Each begins at a
/// multiple of 64 bytes, which aligned vectors need, so that warps do not share lines either.
Value *BlockRegions::contextAddress(uint32_t &offset, uint64_t bytes) {
  IRBuilder<> &b = e.builder;
  const uint64_t stride = (bytes + 63) / 64 * 64;
  if (offset == ~0u) {
    offset = (program.emission.contextBytes + 63) / 64 * 64;
    program.emission.contextBytes = uint32_t(offset + stride * program.settings.warpsOfBlock());
  }
  Value *base = b.CreateConstGEP1_64(b.getInt8Ty(), model.arenaPointer(cpu::ArenaPointer::Context), offset);
  return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(model.warpIndex(), b.getInt64(stride)));
}

/// As bits: a vector of i1 has no defined layout in memory.
void BlockRegions::exchangeLanes(AllocaInst *lanes, uint32_t &offset, bool isLoad) {
  IRBuilder<> &b = e.builder;
  Value *address = contextAddress(offset, 4);
  if (isLoad)
    b.CreateStore(model.laneSets().of(b.CreateAlignedLoad(b.getInt32Ty(), address, Align(4))), lanes);
  else
    b.CreateAlignedStore(bitsOf(b, b.CreateLoad(lanes->getAllocatedType(), lanes)), address, Align(4));
}

/// Copies a slot between its storage and the warp's context.
void BlockRegions::exchange(Activation &activation, uint32_t slot, bool isLoad) {
  IRBuilder<> &b = e.builder;
  WarpFrame &data = model.storage(*activation.frame);
  SmallVector<llvm::Type *, 4> types;
  e.leafTypes(activation.frame->function->slots[slot]->type, types);
  auto copy = [&](AllocaInst *storage, Activation::KeptValue value) {
    llvm::Type *type = storage->getAllocatedType();
    if (type->isVectorTy() && type->getScalarType()->isIntegerTy(1))
      return exchangeLanes(storage, activation.offsets.try_emplace(value, ~0u).first->second, isLoad);
    const uint64_t bytes = e.module.getDataLayout().getTypeAllocSize(type);
    Value *address = contextAddress(activation.offsets.try_emplace(value, ~0u).first->second, bytes);
    const Align alignment = type->isVectorTy() ? Align(64) : Align(1);
    if (isLoad)
      b.CreateStore(b.CreateAlignedLoad(type, address, alignment), storage);
    else
      b.CreateAlignedStore(b.CreateLoad(type, storage), address, alignment);
  };
  for (unsigned leaf = 0; leaf < types.size(); ++leaf) {
    const auto parts = data.slots.place({slot, leaf}, types[leaf]).parts();
    for (unsigned part = 0; part < parts.size(); ++part)
      if (parts[part])
        copy(parts[part], {slot, leaf, part});
  }
}

/// Recomputes the rematerialized slots that the run reads, in program order.
/// Backward first, as a definition may read slots of earlier ones. What the run itself assigns is emitted with it.
void BlockRegions::rematerialize(Activation &activation, Run statements) {
  const Uses &uses = usesOf(activation);
  BitVector needed = uses.read(uses.of(statements));
  const BitVector own = uses.assigned(uses.of(statements));
  const auto &definitions = activation.plan.definitions;
  for (auto definition = definitions.rbegin(); definition != definitions.rend(); ++definition)
    if (needed.test((*definition)->slot->index) && !own.test((*definition)->slot->index))
      needed |= uses.read(uses.of(**definition));
  for (const typed::Assign *definition : definitions)
    if (needed.test(definition->slot->index) && !own.test(definition->slot->index))
      e.emitStatement(*definition);
}

/// The number of threads to run if a region is a single guard, `if threadIdx.x < limit` or `== value`, in a block of
/// one row: those that pass it. The others would have no effect.
/// 1024, the most threads that a block has, stands for all. The sum saturates: a limit at the end of int64 lets all
/// pass.
Value *BlockRegions::threadsOf(const Activation &activation, Run statements) {
  const auto guard = activation.plan.guards.find(statements[0]);
  if (statements.size() != 1 || guard == activation.plan.guards.end())
    return nullptr;
  IRBuilder<> &b = e.builder;
  Value *limit = b.CreateSExtOrTrunc(blockValue(*guard->second.limit), b.getInt64Ty());
  limit = b.CreateBinaryIntrinsic(Intrinsic::sadd_sat, limit, b.getInt64(guard->second.more));
  const auto extent = [&](unsigned axis) {
    const PositionOnAxis blockDim{Position::BlockDim, program.analysis.facts.inGeometry(axis)};
    return model.identity(operationOf(blockDim), types::int64()).value;
  };
  Value *rows = b.CreateMul(extent(1), extent(2));
  Value *some = b.CreateBinaryIntrinsic(Intrinsic::smax, limit, b.getInt64(0));
  return b.CreateSelect(b.CreateICmpEQ(rows, b.getInt64(1)), some, b.getInt64(1024));
}

/// Slots that the region writes are loaded as well: lanes that do not run the assignment keep what they have. Slots of
/// the block are variables outside of the loop over warps, and are neither loaded nor stored. A region in which threads
/// return cannot leave out warps by a guard, as it counts the threads that are left in all of them.
void BlockRegions::emitRegion(Activation &activation, const BitVector &liveIn, Run statements,
                              function_ref<void()> body) {
  WarpFrame &data = model.storage(*activation.frame);
  const Uses &uses = usesOf(activation);
  const BitVector written = uses.assigned(uses.of(statements));
  BitVector touched = uses.read(uses.of(statements));
  touched |= written;
  AllocaInst *left = nullptr; // lanes of any warp that are still in the function, as bits
  if (data.alive && returns(statements)) {
    left = model.entryAlloca(e.builder.getInt32Ty(), "left");
    e.builder.CreateStore(e.builder.getInt32(0), left);
  }
  forEachWarp(left ? nullptr : threadsOf(activation, statements), [&](Value *remaining) {
    // Storage is undefined at the start of each region: no value may seem to come from another warp.
    for (unsigned slot : touched.set_bits()) {
      if (activation.plan.blockSlots.test(slot))
        continue;
      if (activation.plan.crossing.test(slot) && (liveIn.test(slot) || written.test(slot)))
        exchange(activation, slot, true);
      else
        data.slots.clear(slot);
    }
    BasicBlock *done = e.newBlock("region.done");
    Value *lanes = model.options().facts.fullWarps ? nullptr : model.laneSets().below(remaining);
    bool mayBeNone = false;
    if (data.alive) {
      exchangeLanes(data.alive, activation.aliveOffset, true);
      Value *alive = model.laneSets().in(data.alive);
      lanes = lanes ? e.builder.CreateAnd(lanes, alive) : alive;
      // All threads of this warp may have returned in earlier regions.
      mayBeNone = true;
    }
    if (mayBeNone) {
      BasicBlock *some = e.newBlock("region");
      e.builder.CreateCondBr(model.laneSets().isAny(lanes), some, done);
      e.builder.SetInsertPoint(some);
    }
    const MaskScope region = model.under(lanes);
    data.entryMask = lanes;
    rematerialize(activation, statements);
    const bool isVersioned = lanes && !model.isStriding() && model.isWorthVersioning(typed::Body(statements));
    if (isVersioned)
      model.emitUnder(lanes, nullptr, body, true);
    else
      body();
    for (unsigned slot : written.set_bits())
      if (activation.plan.crossing.test(slot))
        exchange(activation, slot, false);
    if (data.alive)
      exchangeLanes(data.alive, activation.aliveOffset, false);
    if (left) {
      TREADLE_CHECK(data.alive && lanes);
      addLanes(left, e.builder.CreateAnd(model.laneSets().in(data.alive), lanes));
    }
    e.builder.CreateBr(done);
    e.builder.SetInsertPoint(done);
  });
  if (left)
    leaveWithLastThread(left);
}

void BlockRegions::addLanes(AllocaInst *bits, Value *lanes) {
  IRBuilder<> &b = e.builder;
  b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), bits), bitsOf(b, lanes)), bits);
}

/// After a region in which threads returned: what follows, also at block level, runs only if the block has threads
/// left.
void BlockRegions::leaveWithLastThread(AllocaInst *left) {
  IRBuilder<> &b = e.builder;
  if (!end)
    end = e.newBlock("block.end");
  BasicBlock *some = e.newBlock("block.rest");
  b.CreateCondBr(b.CreateICmpNE(b.CreateLoad(b.getInt32Ty(), left), b.getInt32(0)), some, end);
  b.SetInsertPoint(some);
}

/// The value, uniform across the block. BlockPlan determines which expressions are allowed.
/// Without a mask, and without a warp: `warp.linear` and `warp.thread` are null here, so code for a lane would fail.
Lanes BlockRegions::blockLanes(const typed::Expr &expression) {
  const MaskScope whole = model.under(nullptr);
  Lanes lanes = e.emit(expression);
  for (const Leaf &leaf : lanes)
    if (!isUniform(leaf))
      throw NeedsFibers{}; // from a function that is not inlined, whose results are vectors
  return lanes;
}

Value *BlockRegions::blockValue(const typed::Expr &expression) { return blockLanes(expression).front().value; }

/// `first`: where the block's first thread starts, in the grid or in the block. Each iteration is a region of its own.
void BlockRegions::emitStrided(Activation &activation, const StridedLoop &loop) {
  typed::Stmt *const run[] = {const_cast<typed::Stmt *>(loop.statement)};
  const Type *type = loop.slot->type;
  Value *first = e.constant(type, 0);
  if (loop.first.position == Position::Grid) {
    const auto onAxis = [&](Position position) {
      return model.identity(operationOf({position, loop.first.axis}), type);
    };
    first = e.mulLeaves(onAxis(Position::BlockIdx), onAxis(Position::BlockDim)).value;
  }
  model.emitStrided({loop, first, blockValue(*loop.stop), blockValue(*loop.step)}, [&] {
    emitRegion(activation, activation.liveness->before(*loop.statement), run, [&] { model.emitBody(run); });
  });
}

void BlockRegions::emitBlockStatement(Activation &activation, const typed::Stmt &statement) {
  // By identity, before the kind: a strided loop is a Range or a While as others are, but its iterations are regions.
  for (const StridedLoop &loop : program.analysis.stridedLoops)
    if (loop.statement == &statement)
      return emitStrided(activation, loop);
  switch (statement.kind) {
  case typed::StmtKind::Barrier:
    return emitBarrier(activation, statement.as<typed::Barrier>());
  case typed::StmtKind::If:
    return emitBlockIf(activation, statement.as<typed::If>());
  case typed::StmtKind::While:
    return emitBlockWhile(activation, statement.as<typed::While>());
  case typed::StmtKind::Range:
    return emitBlockRange(activation, statement.as<typed::Range>());
  // Of loops at block level: all threads of the block take it together.
  case typed::StmtKind::Break:
    e.builder.CreateBr(loops.back().exit);
    return;
  case typed::StmtKind::Continue:
    e.builder.CreateBr(loops.back().next);
    return;
  case typed::StmtKind::Assign: {
    const auto &assign = statement.as<typed::Assign>();
    return model.writeSlot(*activation.frame, *assign.slot, blockLanes(*assign.value));
  }
  default:
    failCheck("a statement of the block", __FILE__, __LINE__);
  }
}

/// The end of a region is the barrier; a predicate is a region of its own that reduces over the warps.
void BlockRegions::emitBarrier(Activation &activation, const typed::Barrier &statement) {
  IRBuilder<> &b = e.builder;
  // All warps have ended the region before, so one call waits for the block as a whole.
  if (statement.barrier == BarrierKind::Grid || isOfCluster(statement.barrier)) {
    const char *symbol = statement.barrier == BarrierKind::Grid ? cpu::gridBarrierSymbol : cpu::clusterBarrierSymbol;
    b.CreateCall(e.module.getOrInsertFunction(symbol, FunctionType::get(b.getVoidTy(), false)));
    return;
  }
  if (!statement.predicate)
    return;
  AllocaInst *result = model.barrierResult();
  b.CreateStore(b.getInt32(statement.barrier == BarrierKind::And), result);
  typed::Stmt *const run[] = {const_cast<typed::Barrier *>(&statement)};
  emitRegion(activation, activation.liveness->before(statement), run, [&] {
    Value *votes = bitsOf(b, model.splat(e.emitLeaf(*statement.predicate)));
    Value *there = bitsOf(b, model.maskOrAll());
    Value *yes = b.CreateAnd(votes, there), *before = b.CreateLoad(b.getInt32Ty(), result);
    auto flag = [&](Value *condition) { return b.CreateZExt(condition, b.getInt32Ty()); };
    Value *after = nullptr;
    if (statement.barrier == BarrierKind::Count)
      after = b.CreateAdd(before, b.CreateUnaryIntrinsic(Intrinsic::ctpop, yes));
    else if (statement.barrier == BarrierKind::And)
      after = b.CreateAnd(before, flag(b.CreateICmpEQ(yes, there)));
    else
      after = b.CreateOr(before, flag(b.CreateICmpNE(yes, b.getInt32(0))));
    b.CreateStore(after, result);
  });
}

/// One branch for the block: the arms are lists of regions and block statements themselves.
void BlockRegions::emitBlockIf(Activation &activation, const typed::If &statement) {
  Value *test = blockValue(*statement.test);
  BasicBlock *then = e.newBlock("block.then"), *otherwise = e.newBlock("block.else"), *done = e.newBlock("block.endif");
  e.builder.CreateCondBr(test, then, otherwise);
  for (auto [block, body] : {std::pair(then, statement.then), std::pair(otherwise, statement.otherwise)}) {
    e.builder.SetInsertPoint(block);
    emitList(activation, body);
    if (!e.builder.GetInsertBlock()->getTerminator())
      e.builder.CreateBr(done);
  }
  e.builder.SetInsertPoint(done);
}

/// The iteration counter of a loop in which the block may wait for others, its own threads being together. Null for
/// other loops.
AllocaInst *BlockRegions::roundsOf(const typed::Stmt &loop) {
  const Patience patience = program.analysis.waiting->of(loop);
  return patience == Patience::Endless ? nullptr : model.roundsOf(patience);
}

/// Between regions, where all warps of the block are at the same place: only other blocks can get a turn.
void BlockRegions::letOthersRun(const typed::Stmt &loop, AllocaInst *rounds) {
  if (!rounds)
    return;
  IRBuilder<> &b = e.builder;
  BasicBlock *yield = e.newBlock("block.yield"), *next = e.newBlock("block.round");
  b.CreateCondBr(model.isTurnOver(rounds, program.analysis.waiting->of(loop)), yield, next);
  b.SetInsertPoint(yield);
  b.CreateCall(e.module.getOrInsertFunction(cpu::blockYieldSymbol, FunctionType::get(b.getVoidTy(), false)));
  b.CreateBr(next);
  b.SetInsertPoint(next);
}

/// The safepoint is at the head, where `continue` arrives as well.
void BlockRegions::emitBlockWhile(Activation &activation, const typed::While &statement) {
  BasicBlock *head = e.newBlock("block.while"), *body = e.newBlock("block.body"), *otherwise = e.newBlock("block.else");
  BasicBlock *done = e.newBlock("block.endwhile");
  AllocaInst *rounds = roundsOf(statement);
  e.builder.CreateBr(head);
  e.builder.SetInsertPoint(head);
  model.safepoint();
  letOthersRun(statement, rounds);
  Value *test = blockValue(*statement.test);
  e.builder.CreateCondBr(test, body, otherwise);
  e.builder.SetInsertPoint(body);
  // A `break` goes past the else clause.
  loops.push_back({head, done});
  emitList(activation, statement.body);
  loops.pop_back();
  if (!e.builder.GetInsertBlock()->getTerminator())
    e.builder.CreateBr(head);
  e.builder.SetInsertPoint(otherwise);
  emitList(activation, statement.otherwise);
  if (!e.builder.GetInsertBlock()->getTerminator())
    e.builder.CreateBr(done);
  e.builder.SetInsertPoint(done);
}

/// The counter is hidden: what the body assigns to the slot, which is one of the block, does not change it.
void BlockRegions::emitBlockRange(Activation &activation, const typed::Range &statement) {
  IRBuilder<> &b = e.builder;
  Value *start = blockValue(*statement.start), *stop = blockValue(*statement.stop);
  Value *step = blockValue(*statement.step);
  BasicBlock *body = e.newBlock("block.range"), *next = e.newBlock("block.next"), *otherwise = e.newBlock("block.else");
  BasicBlock *done = e.newBlock("block.endrange");
  AllocaInst *counter = model.entryAlloca(start->getType(), "counter"), *rounds = roundsOf(statement);
  b.CreateStore(start, counter);
  b.CreateCondBr(model.rangeHolds(statement, start, stop, step), body, otherwise);
  b.SetInsertPoint(body);
  model.writeSlot(*activation.frame, *statement.slot, {Leaf(b.CreateLoad(start->getType(), counter))});
  loops.push_back({next, done});
  emitList(activation, statement.body);
  loops.pop_back();
  if (!b.GetInsertBlock()->getTerminator())
    b.CreateBr(next);
  b.SetInsertPoint(next);
  model.safepoint();
  letOthersRun(statement, rounds);
  Value *value = b.CreateLoad(start->getType(), counter);
  Value *more = model.rangeContinues(statement, value, stop, step);
  b.CreateStore(b.CreateAdd(value, step), counter);
  b.CreateCondBr(more, body, otherwise);
  b.SetInsertPoint(otherwise);
  emitList(activation, statement.otherwise);
  if (!b.GetInsertBlock()->getTerminator())
    b.CreateBr(done);
  b.SetInsertPoint(done);
}

} // namespace treadle::codegen
