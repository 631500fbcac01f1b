// WarpModel: control flow under masks. Uniform conditions branch, varying ones become masks.
#include "codegen/cpu/warp/warp_model.h"

#include "support/error.h"
#include "support/scoped.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace treadle::codegen {

/// Maximum nodes of a guard's body that is versioned without masks. With 90, matrix inversions, edge detection and
/// tridiagonal solvers took twice as long, and four times on AVX2.
constexpr unsigned versioningBudget = 250;
/// Maximum nodes of an arm of plain arithmetic that runs under its mask without a branch around it.
constexpr unsigned cheapBudget = 12;

const JoinLiveness &WarpModel::joins(const typed::Stmt &statement) {
  return storage(*e->frame).liveness->of(statement);
}

namespace {

bool isTerminated(Emitter &e) { return e.builder.GetInsertBlock()->getTerminator() != nullptr; }

void jump(Emitter &e, BasicBlock *to) {
  if (!isTerminated(e))
    e.builder.CreateBr(to);
}

} // namespace

/// After a statement by which some lanes leave, the rest of the list is under the mask of those that remain.
void WarpModel::emitBody(typed::Body body) {
  // What joins the lanes afterwards does not belong to the last statement.
  const auto outside = make_scope_exit(
      [this, location = e->builder.getCurrentDebugLocation()] { e->builder.SetCurrentDebugLocation(location); });
  for (size_t i = 0; i < body.size(); ++i) {
    const unsigned exitsBefore = exits;
    locate(body[i]->span);
    emitOne(*body[i]);
    // Nothing in the list can be reached after a jump, and no block is open for it.
    if (isTerminated(*e) || traits(body[i]->kind).jumps)
      return;
    if (exits != exitsBefore && i + 1 < body.size())
      return emitRest(body.subspan(i + 1));
  }
}

/// A fiber that loses all active lanes inside the statement's expressions continues at its end, with a new mask.
void WarpModel::emitOne(const typed::Stmt &statement) {
  if (!program.analysis.usesFibers)
    return e->emitStatement(statement);
  Value *before = mask;
  BasicBlock *end = e->newBlock("skipped");
  {
    const Scoped<BasicBlock *> own(skipTarget, end);
    e->emitStatement(statement);
  }
  if (end->use_empty()) {
    end->eraseFromParent();
    return;
  }
  jump(*e, end);
  e->builder.SetInsertPoint(end);
  recomputeMask(before);
}

/// After some lanes have left: emits the rest for the remaining ones, if any.
void WarpModel::emitRest(typed::Body rest) {
  Value *lanes = mask;
  if (!lanes)
    return emitBody(rest); // the exit contradicted an assumption: this round is void
  // In the kernel itself lanes that have returned are gone; elsewhere they wait for the others.
  const bool mayWait = e->frame->caller != nullptr || !storage(*e->frame).loops.empty();
  const Scoped<unsigned> some(partial, partial + mayWait);
  emitUnder(lanes, nullptr, [&] { emitBody(rest); }, isWorthVersioning(rest));
}

/// Lanes of the innermost loop's iteration, or those that have not returned; never more than were active before.
void WarpModel::recomputeMask(Value *before) {
  WarpFrame &data = storage(*e->frame);
  AllocaInst *remaining = nullptr;
  if (!data.loops.empty())
    remaining = data.loops.back()->iteration;
  else
    remaining = data.alive;
  mask = before;
  if (!remaining)
    return; // the exit contradicted an assumption: this round is void
  Value *lanes = e->builder.CreateLoad(remaining->getAllocatedType(), remaining);
  mask = before ? e->builder.CreateAnd(before, lanes) : lanes;
}

/// After control flow that was entered under the mask `before`.
/// If no lane has left, the mask from before is used again: what is known of it, as that it is full, stays known.
void WarpModel::joinLanes(Value *before, bool someLeft) {
  if (someLeft)
    recomputeMask(before);
  else
    mask = before;
}

/// The unmasked version is not nested: within it, all is unmasked until some lanes part, and two versions of each inner
/// body would double the code with each level.
void WarpModel::emitUnder(Value *lanes, const BitVector *waiting, function_ref<void()> body, bool isVersioned) {
  WarpFrame &data = storage(*e->frame);
  BasicBlock *done = e->newBlock("done");
  const Scoped<BasicBlock *> own(skipTarget, done);
  if (isVersioned && versionDepth == 0) {
    BasicBlock *full = e->newBlock("full"), *partial = e->newBlock("partial");
    e->builder.CreateCondBr(sets->isAll(lanes), full, partial);
    e->builder.SetInsertPoint(full);
    const MaskScope whole(mask, nullptr);
    const Scoped<unsigned> deeper(versionDepth, versionDepth + 1);
    body();
    jump(*e, done);
    e->builder.SetInsertPoint(partial);
  }
  BasicBlock *some = e->newBlock("some");
  e->builder.CreateCondBr(sets->isAny(lanes), some, done);
  e->builder.SetInsertPoint(some);
  const MaskScope part(mask, lanes);
  const Scoped<unsigned> deeper(versionDepth, versionDepth + 1);
  data.waiting.push_back(waiting);
  body();
  data.waiting.pop_back();
  jump(*e, done);
  e->builder.SetInsertPoint(done);
}

/// Nothing that reads memory, divides or calls: inactive lanes compute it as well.
bool WarpModel::isCheap(const typed::Expr &expression) const {
  unsigned nodes = 0;
  return !anyNode(expression, [&](const typed::Expr &node) {
    const bool isArithmetic =
        node.kind == typed::ExprKind::Operation && rowOf(node.as<typed::OperationExpr>().op).cost == Cost::Cheap;
    const bool isValue = node.kind == typed::ExprKind::Const || node.kind == typed::ExprKind::Slot ||
                         node.kind == typed::ExprKind::Tuple || node.kind == typed::ExprKind::Item ||
                         node.kind == typed::ExprKind::Attribute || node.kind == typed::ExprKind::Conditional;
    return ++nodes > cheapBudget || !(isArithmetic || isValue);
  });
}

/// Assignments and jumps, which masks can express without a branch.
bool WarpModel::isCheap(typed::Body body) const {
  if (body.size() > 3)
    return false;
  for (const typed::Stmt *statement : body) {
    if (statement->kind == typed::StmtKind::Assign) {
      if (!isCheap(*statement->as<typed::Assign>().value))
        return false;
    } else if (statement->kind == typed::StmtKind::Return) {
      const typed::Expr *value = statement->as<typed::Return>().value;
      if (value && !isCheap(*value))
        return false;
    } else if (!traits(statement->kind).jumps) {
      return false;
    }
  }
  return true;
}

/// The nodes of called functions count, as small ones are inlined.
bool WarpModel::isWorthVersioning(typed::Body body) const {
  if (versionDepth > 0)
    return false;
  unsigned nodes = 0;
  auto isMuch = [&](const typed::Expr &node) {
    if (node.kind == typed::ExprKind::Call)
      nodes += node.as<typed::Call>().callee->size;
    return ++nodes > versioningBudget;
  };
  return !anyNode(body, isMuch, [&](const typed::Stmt &) { return ++nodes > versioningBudget; });
}

/// The `then` arm runs first, then the other, each under its mask. Variables that an arm assigns keep the values of
/// lanes that will read them later: in the `then` arm those of the other arm's lanes, in the other those of what
/// follows. An `if` for all lanes asks the active ones only, and is a branch.
void WarpModel::emitIf(const typed::If &statement) {
  Value *test = splatIfAffine(e->emitLeaf(*statement.test));
  Value *before = mask;
  const unsigned exitsBefore = exits;
  if (!test->getType()->isVectorTy()) {
    emitUniformIf(statement, test);
  } else if (statement.isForAll) {
    emitUniformIf(statement, sets->isAll(mask ? e->builder.CreateOr(test, e->builder.CreateNot(mask)) : test));
  } else {
    const JoinLiveness &live = joins(statement);
    auto arm = [&](Value *lanes, typed::Body body, const BitVector &waiting, bool isVersioned) {
      if (body.empty())
        return;
      if (!isCheap(body))
        return emitUnder(lanes, &waiting, [&] { emitBody(body); }, isVersioned);
      WarpFrame &data = storage(*e->frame);
      const MaskScope part(mask, lanes);
      data.waiting.push_back(&waiting);
      emitBody(body);
      data.waiting.pop_back();
    };
    Value *thenLanes = sets->both(before, test);
    const unsigned divergedBefore = divergences;
    const Scoped<unsigned> some(partial, partial + 1);
    arm(thenLanes, statement.then, live.otherwise, statement.otherwise.empty() && isWorthVersioning(statement.then));
    // Lanes that went to another fiber in the first arm must not run the second one here.
    if (divergences != divergedBefore)
      recomputeMask(before);
    arm(sets->without(mask, test), statement.otherwise, live.after, false);
  }
  joinLanes(before, exits != exitsBefore);
}

/// Both arms begin with the mask from before the `if`.
void WarpModel::emitUniformIf(const typed::If &statement, Value *test) {
  // Not emitted, the other arm raises no variable's shape.
  if (auto *constant = dyn_cast<ConstantInt>(test))
    return emitBody(constant->isOne() ? statement.then : statement.otherwise);
  BasicBlock *then = e->newBlock("then"), *done = e->newBlock("endif");
  BasicBlock *otherwise = statement.otherwise.empty() ? done : e->newBlock("else");
  e->builder.CreateCondBr(test, then, otherwise);
  auto arm = [&](BasicBlock *block, typed::Body body) {
    const MaskScope same(mask, mask);
    e->builder.SetInsertPoint(block);
    emitBody(body);
    jump(*e, done);
  };
  arm(then, statement.then);
  if (otherwise != done)
    arm(otherwise, statement.otherwise);
  e->builder.SetInsertPoint(done);
}

/// The active lanes leave the innermost loop's iteration, and with `alsoLoop` the loop.
void WarpModel::leaveLoop(bool alsoLoop) {
  WarpFrame &data = storage(*e->frame);
  WarpLoop &loop = *data.loops.back();
  ++exits;
  if (!loop.isDivergent) {
    program.shapes.setDivergent(data.activation, loop.statement);
    return;
  }
  sets->remove(loop.iteration, maskOrAll());
  if (!alsoLoop)
    return;
  sets->remove(loop.live, maskOrAll());
  if (loop.broke)
    sets->add(loop.broke, maskOrAll());
}

/// If all lanes of the iteration are here, and no lane can leave in another place, it is a branch.
void WarpModel::emitBreak() {
  WarpLoop &loop = *storage(*e->frame).loops.back();
  if (!loop.isDivergent && isUniformWithin(loop.bodyMask))
    e->builder.CreateBr(loop.exit);
  else
    leaveLoop(true);
}

void WarpModel::emitContinue() {
  WarpLoop &loop = *storage(*e->frame).loops.back();
  if (!loop.isDivergent && isUniformWithin(loop.bodyMask))
    e->builder.CreateBr(loop.next);
  else
    leaveLoop(false);
}

/// Results are blended only if lanes return apart. In a region the block goes on for its other warps, so there is no
/// branch to an exit. Lanes that return leave all loops of the function as well.
void WarpModel::emitReturn(const Lanes &value) {
  WarpFrame &data = storage(*e->frame);
  const uint32_t resultSlot = uint32_t(e->frame->function->slots.size());
  for (unsigned leaf = 0; leaf < value.size(); ++leaf)
    data.slots.write({resultSlot, leaf}, value[leaf], data.alive ? mask : nullptr);
  const bool isOfRegion = program.settings.hasRegions && !e->frame->caller && rootActivation == 0;
  if (isUniformWithin(data.entryMask) && !isOfRegion) {
    if (!data.exit)
      data.exit = e->newBlock("return");
    e->builder.CreateBr(data.exit);
    return;
  }
  ++exits;
  ++exitsByReturn;
  program.shapes.setDivergent(data.activation, nullptr);
  for (WarpLoop *loop : data.loops) {
    program.shapes.setDivergent(data.activation, loop->statement);
    if (loop->live)
      sets->remove(loop->live, maskOrAll());
    if (loop->iteration)
      sets->remove(loop->iteration, maskOrAll());
  }
  if (data.alive)
    sets->remove(data.alive, maskOrAll());
}

} // namespace treadle::codegen
