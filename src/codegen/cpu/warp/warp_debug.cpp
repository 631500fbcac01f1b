// WarpModel: debugger support. Variables are written twice, once for the code and once for debuggers, lane by lane: the
// code's own storage has the shapes that make it fast.
#include "codegen/cpu/warp/warp_model.h"

#include "border/compile_options.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

/// A depth of 1 from the start forbids versions: a breakpoint would be hit in one of them only.
WarpModel::WarpModel(WarpProgram &program, unsigned root)
    : FiberCalls(program), rootActivation(root),
      versionDepth(root == 0 && !keepsVariables(program.analysis.options) ? 0 : 1) {
  oncePerWarp = root == 0;
}

const Function *WarpModel::beginDebug(Function &code, const TypedFunction &function) {
  return program.emission.debug ? program.emission.debug->attach(code, function) : nullptr;
}

void WarpModel::resumeDebug(const Function *code) {
  if (program.emission.debug)
    program.emission.debug->resume(code);
}

void WarpModel::locate(const SourceSpan &span) {
  if (!program.emission.debug)
    return;
  DILocation *callSite = storage(*e->frame).callSite;
  e->builder.SetCurrentDebugLocation(program.emission.debug->at(*e->frame->function, span, callSite));
}

/// One array over the lanes for each variable. Tags begin as 0, "unassigned"; other memory stays as it is until then.
void WarpModel::declareWatched(Frame &frame) {
  DebugInfo &debug = *program.emission.debug;
  WarpFrame &own = storage(frame);
  if (frame.caller)
    own.callSite = debug.callSite(*frame.caller->function, frame.site->span, storage(*frame.caller).callSite);
  const std::vector<DebugVariable> &variables = debug.variablesOf(*frame.function, own.callSite);
  if (!debug.keepsVariables())
    return;
  own.watched.resize(frame.function->slots.size());
  for (const DebugVariable &variable : variables) {
    auto *type = ArrayType::get(e->builder.getInt8Ty(), uint64_t(variable.bytes) * laneCount());
    AllocaInst *memory = entryAlloca(type, "variable");
    memory->setAlignment(Align(16));
    debug.declare(variable, *memory, *frame.function, own.callSite);
    if (variable.hasTag())
      e->builder.CreateMemSet(memory, e->builder.getInt8(0), type->getNumElements(), Align(16));
    for (unsigned part = 0; part < variable.parts.size(); ++part)
      if (const typed::Slot *slot = variable.parts[part].slot)
        own.watched[slot->index] = {memory, &variable, part};
    if (variable.constant)
      watchPart({memory, &variable, 0}, e->emit(*variable.constant));
  }
}

/// For the currently active lanes.
/// Scattered, as a variable's bytes are adjacent for each lane, as debuggers want them, and not those of a leaf.
void WarpModel::watchWord(const WarpFrame::Watched &watched, uint32_t offset, const Leaf &word) {
  IRBuilder<> &b = e->builder;
  Value *values = splat(word);
  if (values->getType()->getScalarType()->isIntegerTy(1))
    values = b.CreateZExt(values, vectorOf(b.getInt8Ty()));
  SmallVector<Constant *, 32> offsets;
  for (unsigned lane = 0; lane < laneCount(); ++lane)
    offsets.push_back(b.getInt64(uint64_t(watched.variable->bytes) * lane + offset));
  Value *places = b.CreateGEP(b.getInt8Ty(), watched.memory, ConstantVector::get(offsets));
  b.CreateMaskedScatter(values, places, Align(1), maskOrAll());
}

void WarpModel::watchPart(const WarpFrame::Watched &watched, const Lanes &value) {
  const DebugVariable::Part &part = watched.variable->parts[watched.part];
  for (const auto &[leaf, offset] : zip_equal(value, part.shape->leaves))
    watchWord(watched, part.offset + offset, leaf);
}

/// The tag comes last: it says which type the bytes have.
void WarpModel::watch(Frame &frame, const typed::Slot &slot, const Lanes &value) {
  const WarpFrame &own = storage(frame);
  if (own.watched.empty() || !own.watched[slot.index].memory)
    return;
  const WarpFrame::Watched &watched = own.watched[slot.index];
  watchPart(watched, value);
  watchArrays(watched, value);
  if (watched.variable->hasTag())
    watchWord(watched, 0, Leaf(e->builder.getInt32(watched.part + 1)));
}

/// The fields of Numba's arrays in memory that ours lack.
void WarpModel::watchArrays(const WarpFrame::Watched &watched, const Lanes &value) {
  const DebugVariable::Part &part = watched.variable->parts[watched.part];
  for (const auto &[type, firstLeaf, within] : part.shape->arrays) {
    const ArrayParts parts = e->arrayParts(type, Lanes(ArrayRef(value).slice(firstLeaf, e->leafCount(type))));
    const uint32_t offset = part.offset + within;
    Leaf count(e->int64(1));
    for (unsigned axis = 0; axis < type->ndim(); ++axis) {
      count = e->mulLeaves(count, parts.extents[axis]);
      watchWord(watched, offset + DebugArray::strides(type->ndim()) + 8 * axis, parts.strides[axis]);
    }
    watchWord(watched, offset + DebugArray::itemCount, count);
    watchWord(watched, offset + DebugArray::itemBytes, Leaf(e->int64(type->element()->bytes())));
    // `meminfo` and `parent`: nothing owns the memory here.
    for (const uint32_t unknown : {0u, 8u})
      watchWord(watched, offset + unknown, Leaf(e->int64(0)));
  }
}

} // namespace treadle::codegen
