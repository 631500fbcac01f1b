// WarpModel: loop interchange for grid-stride and block-stride loops: a warp's step is followed by that of its
// neighbour instead of its own next one, so that memory is read as a stream.
#include "codegen/cpu/warp/warp_model.h"

using namespace llvm;

namespace treadle::codegen {

/// The step is positive in every program that ends. `left` and the step are compared without a sign, so the base may be
/// stepped past the stop only after the last iteration, where a wrap has no effect.
void WarpModel::emitStrided(const StrideBounds &bounds, function_ref<void()> body) {
  IRBuilder<> &b = e->builder;
  AllocaInst *place = entryAlloca(bounds.first->getType(), "stride");
  BasicBlock *head = e->newBlock("stride"), *done = e->newBlock("strided");
  b.CreateStore(bounds.first, place);
  b.CreateCondBr(b.CreateICmpSLT(bounds.first, bounds.stop), head, done);
  b.SetInsertPoint(head);
  Value *base = b.CreateLoad(place->getAllocatedType(), place);
  // As unsigned numbers: the base is before the stop, whatever their signs.
  Value *left = b.CreateSub(bounds.stop, base);
  stride = {&bounds.loop, bounds.first, base, left};
  body();
  stride = {};
  safepoint();
  b.CreateStore(b.CreateAdd(base, bounds.step), place);
  b.CreateCondBr(b.CreateICmpUGT(left, bounds.step), head, done);
  b.SetInsertPoint(done);
}

/// A lane has an iteration here if its distance from the first thread is less than what is left to the stop.
void WarpModel::emitStridedIteration() {
  IRBuilder<> &b = e->builder;
  const StridedLoop &loop = *stride.loop;
  // Not the expression before the loop: the values that it reads belong to an earlier region.
  const Leaf start = identity(operationOf(loop.first), loop.slot->type);
  const Leaf value = e->addLeaves(start, Leaf(b.CreateSub(stride.base, stride.first)));
  Value *lanes = nullptr;
  if (start.isAffine()) {
    Value *above = b.CreateSub(start.value, stride.first);
    lanes = lanesNearer(start, b.CreateBinaryIntrinsic(Intrinsic::usub_sat, stride.left, above));
  }
  if (!lanes) {
    Value *above = b.CreateSub(splat(start), b.CreateVectorSplat(laneCount(), stride.first));
    lanes = b.CreateICmpULT(above, b.CreateVectorSplat(laneCount(), stride.left));
  }
  auto iteration = [&] {
    writeSlot(*e->frame, *loop.slot, {value});
    emitBody(loop.body);
  };
  emitUnder(sets->both(mask, lanes), nullptr, iteration, isWorthVersioning(loop.body));
}

} // namespace treadle::codegen
