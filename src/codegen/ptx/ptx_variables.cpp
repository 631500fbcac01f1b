// Variables of one thread: stack slots, one per leaf, or in memory for debuggers.
#include "codegen/ptx/ptx_lane_model.h"

#include "border/compile_options.h"

#include "llvm/IR/Module.h"

namespace treadle::codegen::ptx {

using namespace llvm;
using treadle::Type;

/// At the beginning of the entry block: LLVM promotes only those slots to registers, and one elsewhere would grow the
/// stack.
AllocaInst *PtxLaneModel::variable(llvm::Type *type) {
  BasicBlock &entry = e->builder.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> builder(&entry, entry.begin());
  return builder.CreateAlloca(type);
}

/// A slot for each leaf, so that each is promoted by itself: an array's pointer, its extents, its strides.
PtxLaneModel::Variable PtxLaneModel::variables(const Type *type) {
  SmallVector<llvm::Type *, 4> leaves;
  e->leafTypes(type, leaves);
  Variable result;
  for (llvm::Type *leaf : leaves)
    result.push_back({variable(leaf), leaf});
  return result;
}

Lanes PtxLaneModel::read(ArrayRef<Cell> variable) {
  Lanes result;
  for (const Cell &cell : variable)
    result.push_back(e->builder.CreateLoad(cell.type, cell.address));
  return result;
}

void PtxLaneModel::write(const Variable &variable, const Lanes &value) {
  for (const auto &[cell, leaf] : zip_equal(variable, value))
    e->builder.CreateStore(leaf.value, cell.address);
}

/// Watched slots first: what debuggers read is in one piece of memory for each variable, and gets no slots of its own.
/// The call site must be known before, since an inlined function's variables belong to it.
void PtxLaneModel::declareSlots(Frame &frame) {
  auto storage = std::make_unique<Storage>();
  if (lines && frame.caller)
    storage->callSite =
        lines->callSite(*frame.caller->function, frame.site->span, this->storage(*frame.caller).callSite);
  frame.storage = std::move(storage);
  Storage &made = this->storage(frame);
  if (lines)
    declareWatched(frame);
  made.slots.resize(frame.function->slots.size());
  for (const typed::Slot *slot : frame.function->slots)
    if (made.watched.empty() || !made.watched[slot->index].memory)
      made.slots[slot->index] = variables(slot->type);
  if (frame.function->signature.result)
    made.result = variables(frame.function->signature.result);
}

/// Puts the user's variables where debuggers find them.
void PtxLaneModel::declareWatched(Frame &frame) {
  Storage &own = storage(frame);
  const std::vector<DebugVariable> &known = lines->variablesOf(*frame.function, own.callSite);
  if (!lines->keepsVariables())
    return;
  own.slots.resize(frame.function->slots.size());
  own.watched.resize(frame.function->slots.size());
  for (const DebugVariable &variable : known) {
    AllocaInst *memory = this->variable(ArrayType::get(e->builder.getInt8Ty(), variable.bytes));
    memory->setAlignment(Align(variable.alignment));
    if (variable.constant)
      fill(*memory, variable);
    else
      place(variable, own, *memory);
    lines->declare(variable, *memory, *frame.function, own.callSite);
  }
}

/// At the beginning of the function: the value is never assigned elsewhere.
void PtxLaneModel::fill(AllocaInst &memory, const DebugVariable &variable) {
  IRBuilder<> &b = e->builder;
  for (const auto &[leaf, offset] : zip_equal(e->emit(*variable.constant), variable.parts.front().shape->leaves))
    b.CreateStore(leaf.value, b.CreateConstGEP1_64(b.getInt8Ty(), &memory, offset));
}

/// A tag of 0 says that nothing has been assigned yet. It is stored right after the memory is there, before any
/// assignment.
void PtxLaneModel::place(const DebugVariable &variable, Storage &storage, AllocaInst &memory) {
  IRBuilder<> b(memory.getParent(), std::next(memory.getIterator()));
  if (variable.hasTag())
    b.CreateStore(b.getInt32(0), &memory);
  uint32_t number = 0;
  for (const auto &[slot, shape, offset] : variable.parts) {
    Value *part = b.CreateConstGEP1_64(b.getInt8Ty(), &memory, offset);
    storage.watched[slot->index] = {part, shape, variable.hasTag() ? &memory : nullptr, ++number};
    SmallVector<llvm::Type *, 4> types;
    e->leafTypes(slot->type, types);
    for (const auto &[type, at] : zip_equal(types, shape->leaves)) {
      Value *address = b.CreateConstGEP1_64(b.getInt8Ty(), part, at);
      storage.slots[slot->index].push_back({address, type});
    }
  }
}

Lanes PtxLaneModel::readSlot(Frame &frame, const typed::Slot &slot, LeafSpan leaves) {
  return read(ArrayRef(storage(frame).slots[slot.index]).slice(leaves.first, leaves.count));
}

/// The tag is written last, when the value that it names is complete.
void PtxLaneModel::writeSlot(Frame &frame, const typed::Slot &slot, const Lanes &value) {
  const Storage &own = storage(frame);
  write(own.slots[slot.index], value);
  if (own.watched.empty() || !own.watched[slot.index].memory)
    return;
  const Watched &watched = own.watched[slot.index];
  completeArrays(watched, value);
  if (watched.tag)
    e->builder.CreateStore(e->builder.getInt32(watched.number), watched.tag);
}

/// The fields of Numba's arrays in memory that ours lack.
/// Strides of packed arrays are no leaves, so they are computed. There is no owner and no parent.
void PtxLaneModel::completeArrays(const Watched &watched, const Lanes &value) {
  IRBuilder<> &b = e->builder;
  for (const auto &[type, firstLeaf, offset] : watched.shape->arrays) {
    const ArrayParts parts = e->arrayParts(type, Lanes(ArrayRef(value).slice(firstLeaf, e->leafCount(type))));
    const auto put = [&](uint32_t field, Value *word) {
      b.CreateStore(word, b.CreateConstGEP1_64(b.getInt8Ty(), watched.memory, offset + field));
    };
    Value *count = b.getInt64(1);
    for (unsigned axis = 0; axis < type->ndim(); ++axis) {
      count = b.CreateMul(count, parts.extents[axis].value);
      put(DebugArray::strides(type->ndim()) + 8 * axis, parts.strides[axis].value);
    }
    put(DebugArray::itemCount, count);
    put(DebugArray::itemBytes, b.getInt64(type->element()->bytes()));
    // The array's owner and its parent, which it does not have.
    put(0, b.getInt64(0));
    put(8, b.getInt64(0));
  }
}

} // namespace treadle::codegen::ptx
