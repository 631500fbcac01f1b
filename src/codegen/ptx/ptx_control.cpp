// Control flow of one thread: plain branches.
// Threads of a warp that diverge are the hardware's concern: it masks them, and reconverges them where ptxas says. So
// the code is that of one thread, and no value needs a mask.
#include "codegen/ptx/ptx_lane_model.h"
#include "support/error.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace treadle::codegen::ptx {

using namespace llvm;
using treadle::Type;

/// After a `break`, `continue` or `return`, whose block ends with a branch: nothing may follow in it.
bool PtxLaneModel::isTerminated() const { return e->builder.GetInsertBlock()->getTerminator() != nullptr; }

void PtxLaneModel::fallInto(BasicBlock *block) {
  if (!isTerminated())
    e->builder.CreateBr(block);
  e->builder.SetInsertPoint(block);
}

/// Continues after the function's last statement; the result is unspecified if that was reached without a return.
void PtxLaneModel::fallOutOfBody() {
  if (!isTerminated())
    for (const Cell &leaf : here().result)
      e->builder.CreateStore(Constant::getNullValue(leaf.type), leaf.address);
  fallInto(here().exit);
}

/// What comes after a jump in the same list is unreachable, and is not emitted: there is no block for it.
void PtxLaneModel::emitBody(typed::Body body) {
  for (const typed::Stmt *statement : body) {
    if (isTerminated())
      return;
    locate(statement->span);
    e->emitStatement(*statement);
  }
}

/// If both arms jump, `join` has no predecessors, and what follows is emitted there for LLVM to drop.
void PtxLaneModel::emitIf(const typed::If &statement) {
  Value *test = e->emitLeaf(*statement.test).value;
  BasicBlock *then = e->newBlock("then"), *join = e->newBlock("join");
  BasicBlock *otherwise = statement.otherwise.empty() ? join : e->newBlock("else");
  e->builder.CreateCondBr(test, then, otherwise);
  e->builder.SetInsertPoint(then);
  emitBody(statement.then);
  if (otherwise != join) {
    if (!isTerminated())
      e->builder.CreateBr(join);
    e->builder.SetInsertPoint(otherwise);
    emitBody(statement.otherwise);
  }
  fallInto(join);
}

/// Tested at the head; LLVM rotates the loop later, as the test may have statements in it, which would have to be
/// emitted twice here. A `break` goes past the else clause, which runs when the test fails.
void PtxLaneModel::emitWhile(const typed::While &statement) {
  BasicBlock *head = e->newBlock("while"), *body = e->newBlock("body"), *exit = e->newBlock("end");
  BasicBlock *otherwise = statement.otherwise.empty() ? exit : e->newBlock("else");
  fallInto(head);
  locate(statement.span);
  e->builder.CreateCondBr(e->emitLeaf(*statement.test).value, body, otherwise);
  e->builder.SetInsertPoint(body);
  here().loops.push_back({head, exit});
  emitBody(statement.body);
  here().loops.pop_back();
  if (!isTerminated())
    e->builder.CreateBr(head);
  if (otherwise != exit) {
    e->builder.SetInsertPoint(otherwise);
    emitBody(statement.otherwise);
    if (!isTerminated())
      e->builder.CreateBr(exit);
  }
  e->builder.SetInsertPoint(exit);
}

void PtxLaneModel::emitBreak() { e->builder.CreateBr(here().loops.back().exit); }

void PtxLaneModel::emitContinue() { e->builder.CreateBr(here().loops.back().next); }

/// All returns of a function go to one exit, where heap memory is freed, or to the place after an inlined call.
void PtxLaneModel::emitReturn(const Lanes &value) {
  if (!here().result.empty())
    write(here().result, value);
  e->builder.CreateBr(here().exit);
}

/// A branch, since one side must not be evaluated; LLVM makes a select of sides without effects. The block in which a
/// side ends may be another than the one it began in.
Lanes PtxLaneModel::emitConditional(const typed::Conditional &expression) {
  Value *test = e->emitLeaf(*expression.test).value;
  BasicBlock *then = e->newBlock("then"), *otherwise = e->newBlock("else"), *join = e->newBlock("join");
  e->builder.CreateCondBr(test, then, otherwise);
  auto arm = [&](BasicBlock *block, const typed::Expr &value) {
    e->builder.SetInsertPoint(block);
    Lanes leaves = e->emit(value);
    BasicBlock *end = e->builder.GetInsertBlock();
    e->builder.CreateBr(join);
    return std::pair(leaves, end);
  };
  auto [thenLeaves, thenEnd] = arm(then, *expression.then);
  auto [otherwiseLeaves, otherwiseEnd] = arm(otherwise, *expression.otherwise);
  e->builder.SetInsertPoint(join);
  Lanes result;
  for (auto [first, second] : zip_equal(thenLeaves, otherwiseLeaves)) {
    PHINode *both = e->builder.CreatePHI(first.value->getType(), 2);
    both->addIncoming(first.value, thenEnd);
    both->addIncoming(second.value, otherwiseEnd);
    result.push_back(both);
  }
  return result;
}

/// The result is in variables, so that any number of returns can write it.
Lanes PtxLaneModel::emitInlined(Frame &frame) {
  DebugLoc outside = e->builder.getCurrentDebugLocation();
  Storage &own = storage(frame);
  own.exit = e->newBlock("return");
  emitBody(frame.function->body);
  fallOutOfBody();
  // What the caller does with the result is at the caller's line.
  e->builder.SetCurrentDebugLocation(outside);
  return read(own.result);
}

/// Declared at the first call and emitted after the current function: recursive functions find themselves declared. Not
/// to be inlined by LLVM, as the emitter has decided that. Convergent: LLVM must not move a call with barriers into or
/// out of branches.
Function *PtxLaneModel::outlined(const TypedFunction &callee) {
  Function *&code = functions[&callee];
  if (code)
    return code;
  SmallVector<llvm::Type *, 16> parameters;
  for (const Type *type : callee.signature.arguments)
    e->leafTypes(type, parameters);
  auto *type = FunctionType::get(resultType(callee), parameters, false);
  code = Function::Create(type, GlobalValue::InternalLinkage, callee.name, module);
  code->addFnAttr(Attribute::NoUnwind);
  code->addFnAttr(Attribute::NoInline);
  if (callee.hasBarrier || callee.hasWarpOps)
    code->addFnAttr(Attribute::Convergent);
  pending.push_back({&callee, code});
  return code;
}

/// Several leaves are a structure, as resultType() has it; one is the value itself.
Lanes PtxLaneModel::emitOutlined(const TypedFunction &callee, ArrayRef<Lanes> arguments) {
  Function *code = outlined(callee);
  SmallVector<Value *, 16> values;
  for (const Lanes &argument : arguments)
    for (const Leaf &leaf : argument)
      values.push_back(leaf.value);
  CallInst *call = e->builder.CreateCall(code, values);
  if (call->getType()->isVoidTy())
    return {};
  if (!call->getType()->isStructTy())
    return {Leaf(call)};
  Lanes result;
  for (unsigned i = 0; i < call->getType()->getStructNumElements(); ++i)
    result.push_back(e->builder.CreateExtractValue(call, i));
  return result;
}

} // namespace treadle::codegen::ptx
