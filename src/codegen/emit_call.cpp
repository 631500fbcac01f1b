// Calls of device functions: small ones inlined, others outlined.
#include "codegen/emitter.h"
#include "support/error.h"

using namespace llvm;

namespace treadle::codegen {

/// Maximum nodes of a callee that is inlined, and the maximum depth of inlining. Nested calls multiply code, so the
/// budget counts only the callee itself and the depth bounds the product.
constexpr uint32_t inlineBudget = 400;
constexpr unsigned inlineDepth = 4;
/// How much the calls in a function that must be inlined, such as a lambda, may add to it: functions that call the one
/// before them twice would double with each.
constexpr uint64_t expansionBudget = 2000;

/// What must be inlined comes before what the user asked for: a barrier cuts a kernel at a place of its own, and an
/// array that a function returns is memory of its caller. A recursive function can never be.
bool Emitter::shouldInline(const TypedFunction &callee) const {
  if (callee.isRecursive)
    return false;
  if (callee.hasBarrier || callee.givesArrays || model.mustInline(callee))
    return true;
  if (callee.forceInline)
    return frame->depth < 64 && callee.expandedSize <= callee.size + expansionBudget;
  if (callee.neverInline)
    return false;
  return frame->depth < inlineDepth && callee.size <= inlineBudget;
}

namespace {

/// The user-visible location of a place in a function's tree: the text that contains it, and where; null: unknown.
SourceRef seenIn(const Frame *at, SourceSpan &span) {
  while (true) {
    if (span.origin != 0) {
      const ExpandedFunction &expanded = at->function->expanded[span.origin - 1];
      if (!expanded.isLibrary)
        return expanded.source;
      span = expanded.site;
      continue;
    }
    if (!at->function->isLibrary)
      return at->function->source;
    if (!at->caller)
      return nullptr;
    span = at->site->span;
    at = at->caller;
  }
}

} // namespace

/// 0 is the function that was compiled, so that most records need no entry in the image's list.
FaultPlace Emitter::placeOf(SourceSpan span) {
  const SourceRef source = seenIn(frame, span);
  if (!source || !options.source || !span.isKnown())
    return {};
  FaultPlace place{0, span.line, span.column};
  const FunctionSource own{source->function, source->file};
  if (own == FunctionSource{options.source->function, options.source->file})
    return place;
  std::vector<FunctionSource> &known = model.sources();
  // The same source may be inlined at several places, and has one entry.
  const auto found = std::ranges::find(known, own);
  place.source = 1 + uint32_t(found - known.begin());
  if (found == known.end())
    known.push_back(own);
  return place;
}

Lanes Emitter::emitWarpOp(const typed::WarpOp &op) {
  SmallVector<Leaf, 4> operands;
  for (const typed::Expr *operand : op.operands)
    operands.push_back(emitLeaf(*operand));
  return model.warpOp(op, operands);
}

/// Arguments are evaluated in the caller's frame, all of them before the callee's variables are written: nested calls,
/// `f(f(x))`, have a frame each.
Lanes Emitter::emitCall(const typed::Call &call) {
  SmallVector<Lanes, 4> arguments;
  for (const typed::Expr *argument : call.arguments)
    arguments.push_back(emit(*argument));
  const TypedFunction &callee = *call.callee;
  if (!shouldInline(callee))
    return model.emitOutlined(callee, arguments);
  Frame inner;
  inner.function = &callee;
  inner.caller = frame;
  inner.site = &call;
  inner.depth = frame->depth + 1;
  model.declareSlots(inner);
  for (uint32_t i = 0; i < callee.parameterCount; ++i)
    model.writeSlot(inner, *callee.slots[i], arguments[i]);
  frame = &inner;
  Lanes result = model.emitInlined(inner);
  frame = inner.caller;
  return result;
}

} // namespace treadle::codegen
