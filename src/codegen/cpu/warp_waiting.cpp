// WarpModel: waiting where the lanes of a warp are not all together. A call that waits returns once for the lanes that
// wait and once, on a copy of the fiber, for the others; for each of the two the others are as if they had returned.
#include "border/kernel_abi.h"
#include "codegen/cpu/warp_model.h"
#include "support/error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

static_assert(unsigned(BarrierKind::Count) == cpu::BarrierCall::Count);
static_assert(unsigned(BarrierKind::And) == cpu::BarrierCall::And);
static_assert(unsigned(BarrierKind::Or) == cpu::BarrierCall::Or);
static_assert(unsigned(BarrierKind::Grid) == cpu::BarrierCall::Grid);

Frame &WarpModel::rootFrame() {
  Frame *frame = e->frame;
  while (frame->caller)
    frame = frame->caller;
  return *frame;
}

Value *WarpModel::aliveBits() {
  AllocaInst *alive = storage(rootFrame()).alive;
  if (!alive) { // void round: callWaiting asks for it
    program.shapes.setDivergent(storage(rootFrame()).activation, nullptr);
    return e->builder.CreateBitCast(maskOrAll(), e->builder.getInt32Ty());
  }
  return e->builder.CreateBitCast(sets->in(alive), e->builder.getInt32Ty());
}

/// No lane of the fiber can be elsewhere.
bool WarpModel::isWholeFiber() { return !mask || partial == 0; }

/// Takes all other lanes out of everything that comes later, here and in the callers.
void WarpModel::keepOnly(Value *lanes) {
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

/// A structure with these members.
Value *WarpModel::inMemory(ArrayRef<Value *> members) {
  SmallVector<llvm::Type *, 4> types;
  for (Value *member : members)
    types.push_back(member->getType());
  StructType *type = StructType::get(e->module.getContext(), types);
  AllocaInst *place = entryAlloca(type, "call");
  for (unsigned i = 0; i < members.size(); ++i)
    e->builder.CreateStore(members[i], e->builder.CreateStructGEP(type, place, i));
  return place;
}

Value *WarpModel::callWaiting(const char *symbol, ArrayRef<Value *> operands) {
  IRBuilder<> &b = e->builder;
  TREADLE_CHECK(program.analysis.usesFibers);
  SmallVector<Value *, 3> values{b.CreateBitCast(maskOrAll(), b.getInt32Ty()), aliveBits()};
  if (!operands.empty())
    values.push_back(inMemory(operands));
  SmallVector<llvm::Type *, 3> types;
  for (Value *value : values)
    types.push_back(value->getType());
  Value *result =
      b.CreateCall(e->module.getOrInsertFunction(symbol, FunctionType::get(b.getInt64Ty(), types, false)), values);
  if (!isWholeFiber())
    keepOnly(b.CreateBitCast(b.CreateTrunc(result, b.getInt32Ty()), vectorOf(b.getInt1Ty())));
  return result;
}

Value *WarpModel::placeOf(const SourceSpan &span) {
  return e->builder.getInt64(uint64_t(span.line) << 32 | span.column);
}

void WarpModel::emitBarrier(const typed::Barrier &statement) {
  if (!program.analysis.usesFibers)
    throw NeedsFibers{};
  IRBuilder<> &b = e->builder;
  Value *votes = b.getInt32(0);
  if (statement.predicate)
    votes = b.CreateBitCast(spread(e->emitLeaf(*statement.predicate)), b.getInt32Ty());
  Value *answer =
      callWaiting(cpu::barrierSymbol, {b.getInt32(unsigned(statement.barrier)), votes, placeOf(statement.span)});
  b.CreateStore(b.CreateTrunc(b.CreateLShr(answer, 32), b.getInt32Ty()), barrierResult());
}

} // namespace treadle::codegen
