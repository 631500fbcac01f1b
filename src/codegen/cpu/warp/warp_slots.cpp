// WarpModel: variables. Inactive lanes keep the values that they will read.
#include "codegen/cpu/warp/warp_model.h"

#include "border/compile_options.h"

using namespace llvm;

namespace treadle::codegen {

/// Each call site of an inlined function is an activation, whose variables have shapes of their own. Without
/// optimisation, they keep the bits of their types.
void WarpModel::declareSlots(Frame &frame) {
  const TypedFunction &function = *frame.function;
  const unsigned caller = frame.caller ? storage(*frame.caller).activation : rootActivation;
  const unsigned activation = program.shapes.activation(caller, frame.site);
  ArrayRef<uint8_t> narrow;
  if (program.analysis.options.optimization > 0)
    narrow = program.narrowSlotsOf(function);
  const SlotStorage::Owner owner{*this, e->builder, program.shapes, activation, narrow};
  auto made = std::make_unique<WarpFrame>(owner, function.slots.size() + 1);
  made->liveness = &program.livenessOf(function);
  made->entryMask = mask;
  SlotStorage &slots = made->slots;
  frame.storage = std::move(made);
  // Undefined at first: otherwise loops would carry along the values of earlier activations.
  auto declare = [&](uint32_t slot, const Type *type) {
    SmallVector<llvm::Type *, 4> leaves;
    e->leafTypes(type, leaves);
    slots.declare(slot, leaves);
  };
  for (const typed::Slot *slot : function.slots)
    declare(slot->index, slot->type);
  if (const Type *result = function.signature.result)
    declare(uint32_t(function.slots.size()), result);
  if (program.emission.debug)
    declareWatched(frame);
}

/// Whether lanes that are now inactive will read the slot's old value.
/// Only then does an assignment need a select: most variables are dead in the lanes that are waiting.
bool WarpModel::isBlended(Frame &frame, const typed::Slot &slot) {
  if (!mask)
    return false;
  const WarpFrame &data = storage(frame);
  if (data.everythingWaits)
    return true;
  for (const BitVector *waiting : data.waiting)
    if (waiting && waiting->test(slot.index))
      return true;
  return false;
}

Lanes WarpModel::readSlot(Frame &frame, const typed::Slot &slot, LeafSpan leaves) {
  SmallVector<llvm::Type *, 4> types;
  e->leafTypes(slot.type, types);
  Lanes result;
  for (unsigned leaf = leaves.first; leaf < leaves.first + leaves.count; ++leaf)
    result.push_back(storage(frame).slots.read({slot.index, leaf}, types[leaf]));
  return result;
}

/// Extents and strides of an array are marked, as they are stored differently from other integers (SlotStorage).
void WarpModel::writeSlot(Frame &frame, const typed::Slot &slot, const Lanes &value) {
  Value *lanes = isBlended(frame, slot) ? mask : nullptr;
  for (unsigned leaf = 0; leaf < value.size(); ++leaf)
    storage(frame).slots.write({slot.index, leaf, slot.type->isArray() && leaf > 0}, value[leaf], lanes);
  if (program.emission.debug)
    watch(frame, slot, value);
}

} // namespace treadle::codegen
