// FiberCalls: calls from a warp on a fiber that wait for other lanes and other warps.
#include "codegen/cpu/warp/fiber_calls.h"

#include "border/kernel_abi.h"
#include "support/error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

/// The root activation of the function being emitted.
Frame &FiberCalls::rootFrame() {
  Frame *frame = e->frame;
  while (frame->caller)
    frame = frame->caller;
  return *frame;
}

/// Lanes of the fiber that have not exited, as bits.
Value *FiberCalls::aliveBits() {
  AllocaInst *alive = storage(rootFrame()).alive;
  if (!alive) { // this round is void: setDivergent creates one in the next
    program.shapes.setDivergent(storage(rootFrame()).activation, nullptr);
    return bitsOf(e->builder, maskOrAll());
  }
  return bitsOf(e->builder, sets->in(alive));
}

bool FiberCalls::isWholeFiber() const { return !mask || partial == 0; }

/// Removes all other lanes from everything that follows, here and in the callers.
/// In all frames of this LLVM function: functions that may wait are inlined, so these are all callers. Sets that do not
/// exist yet are made in the next round of emission.
void FiberCalls::keepOnly(Value *lanes) {
  IRBuilder<> &b = e->builder;
  auto keep = [&](AllocaInst *set) {
    if (set)
      sets->keep(set, lanes);
  };
  for (Frame *frame = e->frame; frame; frame = frame->caller) {
    WarpFrame &data = storage(*frame);
    program.shapes.setDivergent(data.activation, nullptr);
    keep(data.alive);
    for (WarpLoop *loop : data.loops) {
      program.shapes.setDivergent(data.activation, loop->statement);
      keep(loop->live);
      keep(loop->iteration);
    }
  }
  ++exits;
  ++exitsByReturn;
  ++divergences;
  mask = b.CreateAnd(maskOrAll(), lanes);
}

/// The result has the lanes that continue here in its lower half, and the call's own answer in the upper one. A whole
/// fiber waits as a whole and keeps its lanes.
Value *FiberCalls::callWaiting(const char *symbol, ArrayRef<Value *> operands) {
  IRBuilder<> &b = e->builder;
  TREADLE_CHECK(program.analysis.usesFibers);
  SmallVector<Value *, 3> values{bitsOf(b, maskOrAll()), aliveBits()};
  if (!operands.empty())
    values.push_back(inMemory(operands));
  SmallVector<llvm::Type *, 3> types;
  for (Value *value : values)
    types.push_back(value->getType());
  Value *result =
      b.CreateCall(e->module.getOrInsertFunction(symbol, FunctionType::get(b.getInt64Ty(), types, false)), values);
  if (!isWholeFiber())
    keepOnly(sets->of(b.CreateTrunc(result, b.getInt32Ty())));
  return result;
}

/// Without a target, the code that follows is under a test for active lanes anyway.
void FiberCalls::skipIfNoLaneIsActive() {
  if (!mask || !skipTarget)
    return;
  BasicBlock *some = e->newBlock("here");
  e->builder.CreateCondBr(sets->isAny(mask), some, skipTarget);
  e->builder.SetInsertPoint(some);
}

/// Lanes may name different members: the fiber waits for all that any active lane names. The values go through memory,
/// where the runtime adds those of lanes that have arrived in other fibers; bools take a byte each there.
Value *FiberCalls::gatherLanes(const typed::WarpOp &op, ArrayRef<Leaf> operands, Leaf *value) {
  IRBuilder<> &b = e->builder;
  Value *members = operands[0].value;
  if (!isUniform(operands[0])) {
    members = splat(operands[0]);
    if (mask)
      members = b.CreateSelect(mask, members, Constant::getNullValue(members->getType()));
    members = b.CreateOrReduce(members);
  }
  Value *place = Constant::getNullValue(b.getPtrTy());
  uint64_t bytes = 0;
  AllocaInst *values = nullptr;
  Value *vector = nullptr;
  if (value) {
    vector = splat(*value);
    if (vector->getType()->isIntOrIntVectorTy(1))
      vector = b.CreateZExt(vector, vectorOf(b.getInt8Ty()));
    bytes = vector->getType()->getScalarSizeInBits() / 8;
    place = values = entryAlloca(vector->getType(), "given");
    b.CreateStore(vector, values);
  }
  const unsigned divergedBefore = divergences;
  SmallVector<Value *, 8> request{members, b.getInt32(uint32_t(bytes)), place};
  request.append(wordsOf(e->placeOf(op.span)));
  Value *answer = callWaiting(cpu::gatherSymbol, request);
  if (divergences != divergedBefore)
    skipIfNoLaneIsActive();
  if (value) {
    Value *gathered = b.CreateLoad(vector->getType(), values);
    *value = bytes == 1 ? b.CreateICmpNE(gathered, Constant::getNullValue(gathered->getType())) : gathered;
  }
  return b.CreateTrunc(b.CreateLShr(answer, 32), b.getInt32Ty());
}

} // namespace treadle::codegen
