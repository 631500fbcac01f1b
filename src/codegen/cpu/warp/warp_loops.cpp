// WarpModel: loops. All lanes together if nothing makes them diverge, otherwise until no lane is left.
#include "codegen/cpu/warp/warp_model.h"

#include "border/kernel_abi.h"
#include "support/error.h"
#include "support/scoped.h"
#include "typed/loop_exits.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

/// The most iterations of a loop that needs no safepoint.
constexpr uint64_t shortLoop = 4096;
/// Iterations before other threads get a turn: for a loop that only waits; for one that may wait, the first time after
/// it was entered, and from then on.
constexpr uint32_t shortTurn = 64, firstLongTurn = 65536, longTurn = 1024;

namespace {

/// Unless the block has ended: a jump that all lanes take is a branch of its own.
void jump(Emitter &e, BasicBlock *to) {
  if (!e.builder.GetInsertBlock()->getTerminator())
    e.builder.CreateBr(to);
}

} // namespace

void WarpModel::safepoint() {
  program.emission.hasSafepoints = true;
  poll();
}

/// The call preserves all registers and changes no memory of the kernel: loops are as fast as without it.
void WarpModel::poll() {
  IRBuilder<> &b = e->builder;
  GlobalVariable *word = e->module.getGlobalVariable(cpu::pollWordSymbol);
  if (!word)
    word = new GlobalVariable(e->module, b.getInt32Ty(), false, GlobalValue::ExternalLinkage, nullptr,
                              cpu::pollWordSymbol);
  // Volatile: another thread sets the word while the loop runs.
  Value *wanted = b.CreateAlignedLoad(b.getInt32Ty(), word, Align(4), true);
  BasicBlock *stop = e->newBlock("safepoint"), *goOn = e->newBlock("goon");
  b.CreateCondBr(b.CreateICmpNE(wanted, b.getInt32(0)), stop, goOn,
                 MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(stop);
  CallInst *call =
      b.CreateCall(e->module.getOrInsertFunction(cpu::safepointSymbol, FunctionType::get(b.getVoidTy(), false)));
  call->addFnAttr(Attribute::get(b.getContext(), "no_caller_saved_registers"));
  call->setDoesNotThrow();
  call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  b.CreateBr(goOn);
  b.SetInsertPoint(goOn);
}

namespace {

/// Lanes wait at the head of the next iteration only after a `continue`.
bool hasContinue(typed::Body body) { return typed::loopExits(body).byContinue; }

/// Maintains the loop stack and the waiting slots while a body is emitted.
/// A loop that all lanes leave together is no reason for lanes to be elsewhere, so it does not count as partial.
class LoopScope {
public:
  /// `partial`: counts constructs that only some lanes may be in.
  LoopScope(WarpFrame &data, WarpLoop &loop, unsigned &partial)
      : data(data), partial(partial), isPartial(loop.isDivergent) {
    data.loops.push_back(&loop);
    partial += isPartial;
  }
  ~LoopScope() {
    partial -= isPartial;
    data.loops.pop_back();
    for (; waiting > 0; --waiting)
      data.waiting.pop_back();
  }
  void wait(const BitVector &slots) {
    data.waiting.push_back(&slots);
    ++waiting;
  }

private:
  WarpFrame &data;
  unsigned &partial;
  const bool isPartial;
  unsigned waiting = 0;
};

} // namespace

/// The sets of a divergent loop begin with the lanes that reach it: those that have left earlier must not come back.
void WarpModel::beginLoop(WarpLoop &loop, const typed::Stmt &statement, bool hasElse) {
  loop.statement = &statement;
  loop.isDivergent = program.shapes.diverges(storage(*e->frame).activation, &statement);
  if (!loop.isDivergent)
    return;
  loop.live = sets->make(maskOrAll(), "live");
  loop.iteration = sets->make(maskOrAll(), "iteration");
  if (hasElse)
    loop.broke = sets->make(sets->none(), "broke");
}

/// The else clause, for the lanes that did not `break`; then the lanes that are still in the function.
void WarpModel::endLoop(const typed::Stmt &statement, typed::Body otherwise, WarpLoop &loop, LoopEntry entry) {
  WarpFrame &data = storage(*e->frame);
  mask = entry.mask;
  const bool returned = data.alive && exitsByReturn != entry.returns;
  if (!otherwise.empty() && loop.isDivergent) {
    Value *lanes = e->builder.CreateAnd(maskOrAll(), e->builder.CreateNot(sets->in(loop.broke)));
    if (returned)
      lanes = e->builder.CreateAnd(lanes, sets->in(data.alive));
    const Scoped<unsigned> some(partial, partial + 1);
    emitUnder(lanes, &joins(statement).after, [&] { emitBody(otherwise); }, false);
  }
  // Lanes that left by `break` or `continue` are active again; not those that returned, nor those that left the
  // enclosing loop in the else clause.
  const bool leftOuter = typed::loopExits(otherwise).ofLoop();
  const bool someLeft = exitsByReturn != entry.returns || leftOuter;
  exits = someLeft ? exits + 1 : entry.exits;
  joinLanes(entry.mask, someLeft);
}

void WarpModel::emitWhile(const typed::While &statement) {
  if (isStrided(statement))
    return emitStridedIteration();
  if (isForEachLane(statement))
    return emitForEachLane(statement);
  const Scoped<bool> often(oncePerWarp, false);
  WarpLoop loop;
  const LoopEntry entry{mask, exits, exitsByReturn};
  beginWaiting(loop, statement);
  beginLoop(loop, statement, !statement.otherwise.empty());
  if (loop.isDivergent)
    emitDivergentWhile(statement, loop);
  else
    emitUniformWhile(statement, loop);
  endLoop(statement, statement.otherwise, loop, entry);
}

/// The test is emitted inside of the loop's scope, since it is evaluated in each iteration. A test that varies after
/// all makes the loop divergent in the next round of emission; this round only has to remain valid IR.
void WarpModel::emitUniformWhile(const typed::While &statement, WarpLoop &loop) {
  BasicBlock *head = e->newBlock("while"), *body = e->newBlock("body"), *otherwise = e->newBlock("else");
  loop.next = e->newBlock("next");
  loop.exit = e->newBlock("endwhile");
  loop.bodyMask = mask;
  e->builder.CreateBr(head);
  e->builder.SetInsertPoint(head);
  {
    const MaskScope same(mask, mask);
    LoopScope scope(storage(*e->frame), loop, partial); // calls in the test may release lanes
    Value *test = splatIfAffine(e->emitLeaf(*statement.test));
    if (test->getType()->isVectorTy()) {
      program.shapes.setDivergent(storage(*e->frame).activation, &statement);
      test = sets->isAny(test); // void round
    }
    e->builder.CreateCondBr(test, body, otherwise);
    e->builder.SetInsertPoint(body);
    emitBody(statement.body);
  }
  jump(*e, loop.next);
  e->builder.SetInsertPoint(loop.next);
  safepoint();
  e->builder.CreateBr(head);
  e->builder.SetInsertPoint(otherwise);
  emitBody(statement.otherwise);
  jump(*e, loop.exit);
  e->builder.SetInsertPoint(loop.exit);
}

/// Lanes that have left read their variables after the loop or in its else clause, which is what assignments must keep.
void WarpModel::emitDivergentWhile(const typed::While &statement, WarpLoop &loop) {
  IRBuilder<> &b = e->builder;
  BasicBlock *head = e->newBlock("while"), *body = e->newBlock("body"), *done = e->newBlock("endwhile");
  LoopScope scope(storage(*e->frame), loop, partial);
  scope.wait(joins(statement).otherwise);
  scope.wait(joins(statement).after);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  mask = sets->in(loop.live);
  b.CreateStore(mask, loop.iteration); // those that continued evaluate the test as well
  Value *lanes = nullptr;
  {
    const Scoped<BasicBlock *> own(skipTarget, done); // the lanes that left the loop have its else clause before them
    Value *test = splat(e->emitLeaf(*statement.test));
    lanes = b.CreateAnd(mask, test);
  }
  b.CreateStore(lanes, loop.live);
  b.CreateCondBr(sets->isAny(lanes), body, done);
  b.SetInsertPoint(body);
  mask = loop.bodyMask = lanes;
  if (hasContinue(statement.body))
    scope.wait(joins(statement).head);
  emitBody(statement.body);
  if (!b.GetInsertBlock()->getTerminator()) {
    safepoint();
    letOthersRun(loop, done);
    b.CreateCondBr(sets->isAny(sets->in(loop.live)), head, done);
  }
  b.SetInsertPoint(done);
}

/// For loops in which threads of a block may wait: lanes that have left the loop continue without the others.
void WarpModel::beginWaiting(WarpLoop &loop, const typed::Stmt &statement) {
  if (!program.analysis.usesFibers)
    return;
  loop.patience = program.analysis.waiting->of(statement);
  if (loop.patience == Patience::Endless)
    return;
  program.shapes.setDivergent(storage(*e->frame).activation, &statement);
  loop.rounds = roundsOf(loop.patience);
}

/// A loop that only waits, entered again and again for a few rounds each, must give others a turn as well.
AllocaInst *WarpModel::roundsOf(Patience patience) {
  AllocaInst *rounds = entryAlloca(e->builder.getInt32Ty(), "rounds");
  if (patience == Patience::Long) {
    e->builder.CreateStore(e->builder.getInt32(firstLongTurn), rounds);
    return rounds;
  }
  // Not reset when the loop is entered again.
  IRBuilder<> entry(&rounds->getFunction()->getEntryBlock(), std::next(rounds->getIterator()));
  entry.CreateStore(entry.getInt32(shortTurn), rounds);
  return rounds;
}

Value *WarpModel::isTurnOver(AllocaInst *rounds, Patience patience) {
  IRBuilder<> &b = e->builder;
  Value *left = b.CreateSub(b.CreateLoad(b.getInt32Ty(), rounds), b.getInt32(1));
  Value *isOver = b.CreateICmpEQ(left, b.getInt32(0));
  b.CreateStore(b.CreateSelect(isOver, b.getInt32(patience == Patience::Short ? shortTurn : longTurn), left), rounds);
  return isOver;
}

/// Only every so many iterations, so that loops that merely retry pay little: lanes that have left the loop continue,
/// and other threads get a turn.
void WarpModel::letOthersRun(WarpLoop &loop, BasicBlock *done) {
  if (loop.patience == Patience::Endless)
    return;
  IRBuilder<> &b = e->builder;
  BasicBlock *some = e->newBlock("spin"), *yield = e->newBlock("yield"), *next = e->newBlock("spun");
  b.CreateCondBr(sets->isAny(sets->in(loop.live)), some, done);
  b.SetInsertPoint(some);
  b.CreateCondBr(isTurnOver(loop.rounds, loop.patience), yield, next);
  b.SetInsertPoint(yield);
  const MaskScope left(mask, sets->in(loop.live));
  callWaiting(cpu::yieldSymbol, {});
  b.CreateBr(next);
  b.SetInsertPoint(next);
}

void WarpModel::emitRange(const typed::Range &statement) {
  if (isStrided(statement))
    return emitStridedIteration();
  const Scoped<bool> often(oncePerWarp, false);
  auto bound = [&](const typed::Expr &expression) { return e->emitLeaf(expression); };
  Leaf start = bound(*statement.start), stop = bound(*statement.stop), step = bound(*statement.step);
  const RangeBounds bounds{start, stop, step, !isShort(start, stop, step)};
  if (isWorthVectorizing(statement, bounds))
    return emitLongOrShort(statement, bounds);
  emitUsualRange(statement, bounds);
}

void WarpModel::emitUsualRange(const typed::Range &statement, const RangeBounds &bounds) {
  if (isForEachLane(statement, bounds))
    return emitForEachLane(statement, bounds, false);
  const Leaf &start = bounds.start, &stop = bounds.stop, &step = bounds.step;
  WarpLoop loop;
  const LoopEntry entry{mask, exits, exitsByReturn};
  const bool boundsDiffer = !isUniform(start) || !isUniform(stop) || !isUniform(step);
  beginWaiting(loop, statement);
  if (boundsDiffer)
    program.shapes.setDivergent(storage(*e->frame).activation, &statement);
  beginLoop(loop, statement, !statement.otherwise.empty());
  if (!boundsDiffer)
    emitUniformRange(statement, bounds, loop);
  else
    emitDivergentRange(statement, bounds, loop);
  endLoop(statement, statement.otherwise, loop, entry);
}

/// Whether the loop provably ends after few iterations.
/// Constants only, so that it holds for every lane and every launch.
bool WarpModel::isShort(const Leaf &start, const Leaf &stop, const Leaf &step) const {
  auto *first = dyn_cast<ConstantInt>(start.value), *last = dyn_cast<ConstantInt>(stop.value),
       *by = dyn_cast<ConstantInt>(step.value);
  if (!first || !last || !by || start.isAffine() || by->isZero())
    return false;
  const APInt distance = (last->getValue() - first->getValue()).abs();
  return distance.udiv(by->getValue().abs()).ult(shortLoop);
}

/// With a step of 0, neither direction holds, and there is no iteration.
Value *WarpModel::rangeHolds(const typed::Range &statement, Value *value, Value *stop, Value *step) {
  IRBuilder<> &b = e->builder;
  const bool isSigned = statement.counter->isSigned();
  Value *below = isSigned ? b.CreateICmpSLT(value, stop) : b.CreateICmpULT(value, stop);
  if (!isSigned)
    return b.CreateAnd(below, b.CreateICmpNE(step, Constant::getNullValue(step->getType())));
  Value *zero = Constant::getNullValue(step->getType());
  Value *isUp = b.CreateICmpSGT(step, zero), *isDown = b.CreateICmpSLT(step, zero);
  return b.CreateOr(b.CreateAnd(isUp, below), b.CreateAnd(isDown, b.CreateICmpSGT(value, stop)));
}

/// By 1 the next value is at most the stop, which does not wrap, and LLVM recognises the comparison as a counted loop.
Value *WarpModel::rangeContinues(const typed::Range &statement, Value *value, Value *stop, Value *step) {
  IRBuilder<> &b = e->builder;
  if (auto *constant = dyn_cast<Constant>(step)) {
    auto *number =
        dyn_cast_or_null<ConstantInt>(constant->getType()->isVectorTy() ? constant->getSplatValue() : constant);
    if (number && number->isOne()) {
      Value *next = b.CreateAdd(value, step);
      return statement.counter->isSigned() ? b.CreateICmpSLT(next, stop) : b.CreateICmpULT(next, stop);
    }
  }
  Value *isDown = statement.counter->isSigned() ? b.CreateICmpSLT(step, Constant::getNullValue(step->getType()))
                                                : Constant::getNullValue(rangeBoolean(step));
  Value *distance = b.CreateSelect(isDown, b.CreateSub(value, stop), b.CreateSub(stop, value));
  Value *length = b.CreateSelect(isDown, b.CreateNeg(step), step);
  return b.CreateICmpUGT(distance, length);
}

llvm::Type *WarpModel::rangeBoolean(Value *like) {
  llvm::Type *bit = e->builder.getInt1Ty();
  return like->getType()->isVectorTy() ? static_cast<llvm::Type *>(vectorOf(bit)) : bit;
}

/// With uniform bounds there is one scalar counter, even if lanes leave one by one.
void WarpModel::emitUniformRange(const typed::Range &statement, const RangeBounds &bounds, WarpLoop &loop) {
  IRBuilder<> &b = e->builder;
  Value *stop = bounds.stop.value, *step = bounds.step.value;
  BasicBlock *body = e->newBlock("range"), *otherwise = e->newBlock("else");
  loop.next = e->newBlock("next");
  loop.exit = e->newBlock("endrange");
  // The counter is hidden in a place of its own: what the body assigns to the slot does not change it.
  AllocaInst *counter = entryAlloca(stop->getType(), "counter");
  b.CreateStore(bounds.start.value, counter);
  b.CreateCondBr(rangeHolds(statement, bounds.start.value, stop, step), body, otherwise);
  b.SetInsertPoint(body);
  {
    LoopScope scope(storage(*e->frame), loop, partial);
    const MaskScope iteration(mask, mask);
    if (loop.isDivergent) {
      scope.wait(joins(statement).otherwise);
      scope.wait(joins(statement).after);
      Value *lanes = sets->in(loop.live);
      b.CreateStore(lanes, loop.iteration);
      mask = lanes;
    }
    loop.bodyMask = mask;
    Value *value = b.CreateLoad(stop->getType(), counter);
    const bool isKnown = e->range(*statement.start).isNonNegative() && e->range(*statement.stop).high <= int64_t(1)
                                                                                                             << 31;
    if (bounds.isIndex && !isKnown)
      b.CreateAssumption(b.CreateICmpULT(value, ConstantInt::get(value->getType(), uint64_t(1) << 31)));
    writeSlot(*e->frame, *statement.slot, {Leaf(value)});
    if (loop.isDivergent && hasContinue(statement.body))
      scope.wait(joins(statement).head);
    emitBody(statement.body);
    jump(*e, loop.next);
    b.SetInsertPoint(loop.next);
    if (bounds.needsSafepoint)
      safepoint();
    letOthersRun(loop, otherwise);
  }
  Value *value = b.CreateLoad(stop->getType(), counter);
  // Asked of the old value, as the new one may have wrapped when the loop ends.
  Value *more = rangeContinues(statement, value, stop, step);
  b.CreateStore(b.CreateAdd(value, step), counter);
  if (loop.isDivergent)
    more = b.CreateAnd(more, sets->isAny(sets->in(loop.live)));
  BranchInst *latch = b.CreateCondBr(more, body, otherwise);
  if (bounds.isVectorized)
    letVectorize(*latch);
  b.SetInsertPoint(otherwise);
  if (!loop.isDivergent)
    emitBody(statement.otherwise);
  jump(*e, loop.exit);
  b.SetInsertPoint(loop.exit);
}

/// The lanes that start, and those that continue, by the distance to the stop; for a counter that is affine, if no
/// lane's first value is close to overflow.
Value *WarpModel::lanesBefore(const typed::Range &statement, const RangeBounds &bounds) {
  const std::optional<Leaf> lanes =
      compare({Operation::Lt, bounds.start, bounds.stop, e->range(*statement.start), e->range(*statement.stop)});
  return lanes && statement.counter->isSigned() && e->range(*statement.step).low > 0 ? splat(*lanes) : nullptr;
}

Value *WarpModel::lanesContinuing(const typed::Range &statement, const RangeBounds &bounds, const Leaf &current,
                                  bool byDistance) {
  IRBuilder<> &b = e->builder;
  if (byDistance) {
    // Lanes that are still in the loop are before the stop, so the distance from the first one is not negative.
    Value *left = b.CreateSub(bounds.stop.value, current.value);
    left = b.CreateBinaryIntrinsic(Intrinsic::usub_sat, left, bounds.step.value);
    if (Value *lanes = lanesNearer(current, left))
      return lanes;
  }
  return rangeContinues(statement, splat(current), splat(bounds.stop), splat(bounds.step));
}

/// With fibers, any call in the body may take lanes away.
bool WarpModel::mayRunWhole(const typed::Range &statement) const {
  const typed::LoopExits exits = typed::loopExits(statement.body);
  return !exits.ofLoop() && !exits.byReturn && !program.analysis.usesFibers;
}

/// The iterations that all lanes have, without masks. Afterwards `live` has the lanes of the next iteration, which are
/// not all. Precondition: the counter is affine, all lanes are active, and none leaves the loop early.
void WarpModel::emitWholeIterations(const typed::Range &statement, const RangeBounds &bounds, WarpLoop &loop,
                                    AllocaInst *counter) {
  IRBuilder<> &b = e->builder;
  BasicBlock *whole = e->newBlock("whole"), *next = e->newBlock("next");
  BasicBlock *last = e->newBlock("lastwhole"), *rest = e->newBlock("partial");
  auto current = [&] {
    return Leaf(b.CreateLoad(counter->getAllocatedType(), counter), bounds.start.s0, bounds.start.s1);
  };
  b.CreateCondBr(sets->isAll(loop.bodyMask), whole, rest);
  b.SetInsertPoint(whole);
  {
    const MaskScope all(mask, nullptr);
    const Scoped<Value *> unmasked(loop.bodyMask, nullptr);
    const Scoped<unsigned> deeper(versionDepth, versionDepth + 1);
    writeSlot(*e->frame, *statement.slot, {current()});
    emitBody(statement.body);
    jump(*e, next);
  }
  b.SetInsertPoint(next);
  if (bounds.needsSafepoint)
    safepoint();
  const Leaf done = current();
  Value *more = lanesContinuing(statement, bounds, done, true);
  // Stored whether or not all lanes go on: the iterations under masks begin with it.
  b.CreateStore(b.CreateAdd(done.value, bounds.step.value), counter);
  b.CreateCondBr(sets->isAll(more), whole, last);
  b.SetInsertPoint(last);
  b.CreateStore(more, loop.live);
  b.CreateBr(rest);
  b.SetInsertPoint(rest);
}

/// Bounds that vary between lanes. The counter stays affine if it starts affine and all lanes have equal steps.
void WarpModel::emitDivergentRange(const typed::Range &statement, const RangeBounds &bounds, WarpLoop &loop) {
  IRBuilder<> &b = e->builder;
  if (!loop.isDivergent)
    beginLoop(loop, statement, !statement.otherwise.empty());
  const bool staysAffine = bounds.start.isAffine() && isUniform(bounds.step);
  const bool staysUniform = isUniform(bounds.start) && isUniform(bounds.step);
  const bool isLinear = staysAffine || staysUniform;
  Value *first = isLinear ? bounds.start.value : splat(bounds.start);
  AllocaInst *counter = entryAlloca(first->getType(), "counter");
  b.CreateStore(first, counter);
  auto current = [&]() -> Leaf {
    Value *value = b.CreateLoad(first->getType(), counter);
    return staysAffine ? Leaf(value, bounds.start.s0, bounds.start.s1) : Leaf(value);
  };
  Value *stop = splat(bounds.stop), *step = splat(bounds.step);
  BasicBlock *body = e->newBlock("range"), *done = e->newBlock("endrange");
  LoopScope scope(storage(*e->frame), loop, partial);
  scope.wait(joins(statement).otherwise);
  scope.wait(joins(statement).after);
  Value *before = staysAffine ? lanesBefore(statement, bounds) : nullptr;
  Value *lanes = b.CreateAnd(maskOrAll(), before ? before : rangeHolds(statement, splat(current()), stop, step));
  b.CreateStore(lanes, loop.live);
  const bool isVersioned = isWorthVersioning(statement.body);
  const bool isWhole = before && isVersioned && !mask && mayRunWhole(statement);
  loop.bodyMask = lanes;
  if (isWhole)
    emitWholeIterations(statement, bounds, loop, counter);
  b.CreateCondBr(sets->isAny(isWhole ? sets->in(loop.live) : lanes), body, done);
  b.SetInsertPoint(body);
  if (hasContinue(statement.body))
    scope.wait(joins(statement).head);
  lanes = sets->in(loop.live);
  b.CreateStore(lanes, loop.iteration);
  loop.bodyMask = lanes;
  auto emitIteration = [&] {
    writeSlot(*e->frame, *statement.slot, {current()});
    emitBody(statement.body);
  };
  emitUnder(lanes, nullptr, emitIteration, isVersioned && !isWhole);
  if (bounds.needsSafepoint)
    safepoint();
  Value *more = lanesContinuing(statement, bounds, current(), before != nullptr);
  more = b.CreateAnd(sets->in(loop.live), more);
  b.CreateStore(more, loop.live);
  Value *next = isLinear ? b.CreateAdd(current().value, bounds.step.value) : b.CreateAdd(current().value, step);
  b.CreateStore(next, counter);
  letOthersRun(loop, done);
  // Only with fibers may lanes have gone since `more` was computed: read again.
  b.CreateCondBr(sets->isAny(loop.rounds ? sets->in(loop.live) : more), body, done);
  b.SetInsertPoint(done);
}

} // namespace treadle::codegen
