// WarpModel: activations. Inlined calls, and outlined device functions with a mask parameter.
#include "codegen/cpu/warp/warp_model.h"

#include "border/kernel_abi.h"
#include "support/error.h"
#include "support/scoped.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

/// The set of lanes in the function exists only if an earlier round has seen some lanes return before others.
void WarpModel::emitFunctionBody(Frame &frame) {
  WarpFrame &data = storage(frame);
  data.entryMask = mask;
  if (program.shapes.diverges(data.activation, nullptr))
    data.alive = sets->make(maskOrAll(), "alive");
  emitBody(frame.function->body);
  if (!data.exit)
    return;
  if (!e->builder.GetInsertBlock()->getTerminator())
    e->builder.CreateBr(data.exit);
  e->builder.SetInsertPoint(data.exit);
}

/// `lanes`: null if all lanes of the warp are threads of the launch, or have called the function.
void WarpModel::emitKernelBody(Frame &frame, Value *lanes) {
  const MaskScope all(mask, lanes);
  emitFunctionBody(frame);
}

/// Lanes that have returned from the callee are active again in the caller, whatever the order in which they returned.
Lanes WarpModel::emitInlined(Frame &frame) {
  Value *before = mask;
  const DebugLoc outside = e->builder.getCurrentDebugLocation();
  const unsigned exitsBefore = exits, returnsBefore = exitsByReturn, divergedBefore = divergences;
  {
    const MaskScope same(mask, before);
    emitFunctionBody(frame);
  }
  e->builder.SetCurrentDebugLocation(outside);
  exits = exitsBefore;
  exitsByReturn = returnsBefore;
  if (divergences != divergedBefore)
    leaveDiverged(before);
  return readResult(frame);
}

/// After a call in which lanes diverged: those that went elsewhere have left the caller too.
void WarpModel::leaveDiverged(Value *before) {
  ++exits;
  ++exitsByReturn;
  Frame *const callee = e->frame;
  e->frame = callee->caller;
  recomputeMask(before);
  skipIfNoLaneIsActive();
  e->frame = callee;
}

/// The result is a variable of its own, one past the function's slots.
Lanes WarpModel::readResult(Frame &frame) {
  const Type *type = frame.function->signature.result;
  SmallVector<llvm::Type *, 4> types;
  if (type)
    e->leafTypes(type, types);
  Lanes result;
  for (unsigned leaf = 0; leaf < types.size(); ++leaf)
    result.push_back(storage(frame).slots.read({uint32_t(frame.function->slots.size()), leaf}, types[leaf]));
  return result;
}

namespace {

/// The layout of WarpIdentity::record.
StructType *recordType(LLVMContext &context) {
  llvm::Type *pointer = PointerType::get(context, 0), *word = llvm::Type::getInt32Ty(context),
             *wide = llvm::Type::getInt64Ty(context);
  return StructType::get(context, {pointer, pointer, word, word, word, word, wide, wide, wide});
}

/// The members of a WarpIdentity in the record's order.
SmallVector<Value **, 9> recordMembers(WarpIdentity &warp) {
  return {&warp.geometry, &warp.arena, &warp.block[0], &warp.block[1], &warp.block[2],
          &warp.linear,   &warp.gridX, &warp.gridY,    &warp.gridZ};
}

/// All members at once: LLVM drops the loads of those that the function does not use.
void loadRecord(IRBuilder<> &b, WarpIdentity &warp) {
  StructType *type = recordType(b.getContext());
  unsigned field = 0;
  for (Value **member : recordMembers(warp)) {
    *member = b.CreateLoad(type->getElementType(field), b.CreateStructGEP(type, warp.record, field));
    ++field;
  }
}

} // namespace

/// One pointer in place of nine arguments. A function that has got one passes it on.
Value *WarpModel::makeRecord() {
  if (warp.record)
    return warp.record;
  StructType *type = recordType(e->builder.getContext());
  AllocaInst *record = entryAlloca(type, "warp");
  unsigned field = 0;
  for (Value **member : recordMembers(warp)) {
    // Members that warps of this kernel do not have stay unset, as no code reads them.
    if (*member)
      e->builder.CreateStore(*member, e->builder.CreateStructGEP(type, record, field));
    ++field;
  }
  return record;
}

/// The arguments of one call: scalars where they are uniform, vectors otherwise.
struct WarpModel::CallShape {
  std::string key;
  SmallVector<llvm::Type *, 8> types;
  SmallVector<Value *, 8> values;
};

/// One function for each combination of uniform and varying arguments. It is registered before its body is emitted,
/// which may call it. Results are always vectors, so that callers need not know what the body does.
Function *WarpModel::outlinedFunction(const TypedFunction &callee, const CallShape &shape) {
  Function *&function = program.emission.outlined[{&callee, shape.key}];
  if (function)
    return function;
  noteFallback("device function that is not inlined");
  SmallVector<llvm::Type *, 8> results;
  if (callee.signature.result)
    e->leafTypes(callee.signature.result, results);
  for (llvm::Type *&type : results)
    type = vectorOf(type);
  LLVMContext &context = e->module.getContext();
  SmallVector<llvm::Type *, 8> parameters{PointerType::get(context, 0), vectorOf(llvm::Type::getInt1Ty(context))};
  parameters.append(shape.types);
  llvm::Type *result = results.empty() ? llvm::Type::getVoidTy(context) : StructType::get(context, results);
  function = Function::Create(FunctionType::get(result, parameters, false), GlobalValue::InternalLinkage, callee.name,
                              e->module);
  function->setDoesNotThrow();
  function->addFnAttr(Attribute::NoInline);
  emitOutlinedBody(*function, callee, program.shapes.root(callee, shape.key));
  return function;
}

/// With a model of its own: masks, variables and loops of the caller mean nothing in another LLVM function.
void WarpModel::emitOutlinedBody(Function &function, const TypedFunction &callee, unsigned root) {
  WarpModel inner(program, root);
  Emitter emitter(e->module, inner, e->options);
  inner.attach(emitter);
  emitter.builder.SetInsertPoint(BasicBlock::Create(e->module.getContext(), "entry", &function));
  inner.warp.record = function.getArg(0);
  loadRecord(emitter.builder, inner.warp);
  Frame frame;
  frame.function = &callee;
  emitter.frame = &frame;
  const Function *outer = inner.beginDebug(function, callee);
  if (callee.isRecursive)
    inner.beginActivation(callee);
  inner.declareSlots(frame);
  inner.locate(callee.span);
  // After the record and the mask.
  unsigned next = 2;
  for (uint32_t i = 0; i < callee.parameterCount; ++i) {
    Lanes value;
    for (unsigned leaf = 0; leaf < emitter.leafCount(callee.slots[i]->type); ++leaf)
      value.push_back(function.getArg(next++));
    inner.writeSlot(frame, *callee.slots[i], value);
  }
  inner.emitKernelBody(frame, function.getArg(1));
  inner.endActivation();
  inner.resumeDebug(outer);
  Lanes result = inner.readResult(frame);
  if (result.empty()) {
    emitter.builder.CreateRetVoid();
    return;
  }
  Value *packed = PoisonValue::get(function.getReturnType());
  for (unsigned leaf = 0; leaf < result.size(); ++leaf)
    packed = emitter.builder.CreateInsertValue(packed, inner.splat(result[leaf]), leaf);
  emitter.builder.CreateRet(packed);
}

/// Affine arguments become vectors: their strides would be two more arguments each, and more versions of the function.
Lanes WarpModel::emitOutlined(const TypedFunction &callee, ArrayRef<Lanes> arguments) {
  if (callee.hasWarpOps && !isWholeFiber())
    throw NeedsFibers{}; // it may wait for lanes that are elsewhere
  CallShape shape;
  for (const Lanes &argument : arguments)
    for (const Leaf &leaf : argument) {
      Value *value = splatIfAffine(leaf);
      shape.key += value->getType()->isVectorTy() ? 'v' : 'u';
      shape.types.push_back(value->getType());
      shape.values.push_back(value);
    }
  Function *function = outlinedFunction(callee, shape);
  SmallVector<Value *, 8> values{makeRecord(), maskOrAll()};
  values.append(shape.values);
  Value *packed = e->builder.CreateCall(function, values);
  Lanes result;
  if (auto *type = dyn_cast<StructType>(function->getReturnType()))
    for (unsigned leaf = 0; leaf < type->getNumElements(); ++leaf)
      result.push_back(e->builder.CreateExtractValue(packed, leaf));
  return result;
}

} // namespace treadle::codegen
