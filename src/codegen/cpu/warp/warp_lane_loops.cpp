// WarpModel: loops serialised per lane (ragged rows): each lane's elements are contiguous.
#include "border/compile_options.h"
#include "codegen/cpu/lanes/lane_table.h"
#include "codegen/cpu/warp/warp_model.h"

#include "passes/analyses/spin_loops.h"
#include "support/error.h"
#include "support/scoped.h"
#include "typed/loop_exits.h"
#include "typed/purity.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include "llvm/IR/Constants.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

using namespace llvm;

namespace treadle::codegen {

namespace {

/// Maximum nodes of a loop's body for which 32 lanes gain less from vectors than gathers cost, and waiting for the
/// longest row.
constexpr unsigned laneBudget = 100;

/// A `while` around loads ends after another number of iterations in each lane, as a rule, as the rows do. One without
/// loads computes: vectors are better at it.
bool computes(const typed::While &loop) {
  const auto isLoad = [](const typed::Expr &node) { return node.kind == typed::ExprKind::Load; };
  return !anyNode(*loop.test, isLoad) && !anyNode(loop.body, isLoad);
}

/// Arithmetic takes so little that the body's accesses dominate: calls and costly operations gain from vectors.
bool isMostlyAccesses(typed::Body body) {
  unsigned nodes = 0, accesses = 0;
  auto isMuch = [&](const typed::Expr &node) {
    accesses += node.kind == typed::ExprKind::Load;
    const bool isCostly =
        node.kind == typed::ExprKind::Operation && rowOf(node.as<typed::OperationExpr>().op).cost == Cost::Costly;
    return ++nodes > laneBudget || isCostly || node.kind == typed::ExprKind::Call ||
           node.kind == typed::ExprKind::WarpOp || traits(node.kind).makesArray;
  };
  auto isLong = [&](const typed::Stmt &node) {
    accesses += node.kind == typed::StmtKind::Store;
    return ++nodes > laneBudget || node.kind == typed::StmtKind::Return || node.kind == typed::StmtKind::Print ||
           (node.kind == typed::StmtKind::While && computes(node.as<typed::While>()));
  };
  return !anyNode(body, isMuch, isLong) && accesses > 0;
}

/// Without branches, which would be mispredicted in each round, as in a search by halves, and without costly
/// operations.
bool isChain(typed::Body body) {
  unsigned nodes = 0;
  auto isMuch = [&](const typed::Expr &node) {
    return ++nodes > laneBudget || node.kind == typed::ExprKind::Call || traits(node.kind).makesArray ||
           (node.kind == typed::ExprKind::Operation && rowOf(node.as<typed::OperationExpr>().op).cost == Cost::Costly);
  };
  auto isOther = [](const typed::Stmt &node) {
    return node.kind != typed::StmtKind::Assign && node.kind != typed::StmtKind::Store;
  };
  return !anyNode(body, isMuch, isOther);
}

/// The value of each lane: a shared one, or one in a table.
struct LaneValue {
  Value *shared = nullptr;
  std::optional<LaneTable> own = std::nullopt;
  Value *read(Value *lane) const { return own ? own->read(lane) : shared; }
};

} // namespace

/// A variable that the loop uses, outside of it.
struct WarpModel::LaneVariable {
  const typed::Slot *slot;
  std::vector<LaneValue> leaves;
  bool isResult;     ///< read after the loop
  AllocaInst *total; ///< of a sum of strips: the lane's value is here, not in the slot

  Lanes of(Value *lane) const {
    Lanes value;
    for (const LaneValue &leaf : leaves)
      value.push_back(leaf.read(lane));
    return value;
  }
  Lanes ofAll() const {
    Lanes value;
    for (const LaneValue &leaf : leaves)
      value.push_back(leaf.own->all());
    return value;
  }
};

/// Rows of unequal length, one per lane. Vectorised across lanes, every element takes a gather, and all lanes wait for
/// the longest row; serialised per lane, rows are read as in C. Rows that begin a known distance apart need no gathers.
/// The body must not depend on which lanes run it together: nor has it atomic operations, which vectors combine.
/// The start decides: where it is affine, lanes' elements are a known distance apart.
bool WarpModel::isForEachLane(const typed::Range &statement, const RangeBounds &bounds) const {
  const bool isVarying = !isUniform(bounds.start) && !bounds.start.isAffine();
  return isVarying && isUniform(bounds.step) && mayRunForEachLane(effectsOf(statement.body), statement.otherwise) &&
         isMostlyAccesses(statement.body);
}

bool WarpModel::mayRunForEachLane(Effects effects, typed::Body otherwise) const {
  return otherwise.empty() && !options().debug && program.analysis.options.optimization != 0 &&
         !program.analysis.usesFibers && !effects.meets && !effects.fails && !effects.readsClock && !effects.isOfThread;
}

/// Chains, as of a hash table or of parents: what is loaded says where to load next, and whether to. Lanes make
/// different numbers of rounds, each of which takes a gather. Where gathers are not fast each lane runs alone, as in C.
bool WarpModel::isForEachLane(const typed::While &statement) {
  Effects effects = effectsOf(*statement.test);
  effects |= effectsOf(statement.body);
  if (program.settings.hasFastGathers || !mayRunForEachLane(effects, statement.otherwise) ||
      program.analysis.waiting->of(statement) != Patience::Endless || !isChain(statement.body))
    return false;
  const Frame &frame = *e->frame;
  const Uses &uses = program.analysis.uses.of(*frame.function);
  const BitVector assigned = uses.assigned(uses.ofRounds(statement));
  const unsigned activation = storage(*e->frame).activation;
  const auto isElsewhere = [&](const typed::Expr &node) {
    const typed::Slot *slot = typed::readSlot(node);
    return slot && assigned.test(slot->index) && slot->type->isInt() &&
           program.shapes.leaf(activation, slot->index, 0).kind == LeafShape::Kind::Varying;
  };
  const auto follows = [&](const typed::Expr &node) {
    return node.kind == typed::ExprKind::Load &&
           llvm::any_of(node.as<typed::Load>().at.indices,
                        [&](const typed::Expr *index) { return anyNode(*index, isElsewhere); });
  };
  return anyNode(*statement.test, follows) || anyNode(statement.body, follows);
}

/// Indices that count up from a nonnegative start never wrap: neither as they are, nor cut to 32 bits.
/// That is known at run time only, hence two versions; LLVM then computes addresses without sign extensions.
void WarpModel::emitRangeOfLane(const typed::Range &statement, const RangeBounds &bounds) {
  auto emit = [&](bool isIndex) {
    WarpLoop loop;
    RangeBounds own = bounds;
    own.isIndex = isIndex;
    const LoopEntry entry{mask, exits, exitsByReturn};
    beginLoop(loop, statement, false);
    emitUniformRange(statement, own, loop);
    endLoop(statement, {}, loop, entry);
  };
  if (!statement.counter->isSigned() || e->range(*statement.start).isNonNegative() ||
      e->range(*statement.step).low <= 0)
    return emit(false);
  IRBuilder<> &b = e->builder;
  BasicBlock *usual = e->newBlock("from.zero"), *other = e->newBlock("from.below"), *done = e->newBlock("lane.done");
  Value *start = bounds.start.value, *stop = bounds.stop.value;
  Value *isUsual = b.CreateICmpSGE(start, Constant::getNullValue(start->getType()));
  if (stop->getType()->getIntegerBitWidth() > 32)
    isUsual = b.CreateAnd(isUsual, b.CreateICmpSLE(stop, ConstantInt::get(stop->getType(), uint64_t(1) << 31)));
  b.CreateCondBr(isUsual, usual, other);
  b.SetInsertPoint(usual);
  auto *step = dyn_cast<ConstantInt>(bounds.step.value);
  const typed::LoopExits exits = typed::loopExits(statement.body);
  if (step && step->isOne() && !exits.ofLoop() && !exits.byReturn)
    emitStrips(statement, bounds);
  else
    emit(true);
  b.CreateBr(done);
  b.SetInsertPoint(other);
  emit(false);
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

/// A shared value that the loop changes is one for each lane afterwards.
std::vector<WarpModel::LaneVariable> WarpModel::laneVariables(const typed::Stmt &loop, ArrayRef<StripSum> sums,
                                                              const char *name) {
  Frame &frame = *e->frame;
  const Uses &uses = program.analysis.uses.of(*frame.function);
  const Uses::Part rounds = uses.ofRounds(loop);
  BitVector results = uses.assigned(rounds), used = uses.read(rounds);
  if (loop.kind == typed::StmtKind::Range)
    results.set(loop.as<typed::Range>().slot->index);
  used |= results;
  results &= joins(loop).after;
  std::vector<LaneVariable> variables;
  for (const unsigned index : used.set_bits()) {
    const typed::Slot *slot = frame.function->slots[index];
    const auto *sum = llvm::find_if(sums, [&](const StripSum &one) { return one.slot == slot; });
    LaneVariable variable{slot, {}, results.test(index), sum == sums.end() ? nullptr : sum->total};
    for (const Leaf &leaf : readSlot(frame, *slot, {0, e->leafCount(slot->type)}))
      if (isUniform(leaf) && !variable.isResult)
        variable.leaves.push_back({leaf.value});
      else
        variable.leaves.push_back({nullptr, LaneTable(e->builder, splat(leaf), name)});
    variables.push_back(std::move(variable));
  }
  return variables;
}

void WarpModel::emitForEachLane(const typed::Range &statement, const RangeBounds &bounds, bool isVectorized) {
  Frame &frame = *e->frame;
  const char *const name = isVectorized ? "vector.row" : "row.by.lane";
  auto boundOf = [&](const Leaf &leaf) {
    return isUniform(leaf) ? LaneValue{leaf.value} : LaneValue{nullptr, LaneTable(e->builder, splat(leaf), name)};
  };
  const LaneValue start = boundOf(bounds.start), stop = boundOf(bounds.stop);
  const auto sums = isVectorized ? stripSums(statement) : SmallVector<StripSum, 2>();
  const std::vector<LaneVariable> variables = laneVariables(statement, sums, name);

  std::vector<uint8_t> narrow(frame.function->slots.size());
  for (const StripSum &sum : sums)
    narrow[sum.slot->index] = 32;
  inEachLane(statement, variables, narrow, [&](Value *lane) {
    RangeBounds own{start.read(lane), stop.read(lane), bounds.step, bounds.needsSafepoint};
    own.isVectorized = isVectorized;
    if (isVectorized)
      emitStrips(statement, own, sums);
    else
      emitRangeOfLane(statement, own);
  });
}

void WarpModel::emitForEachLane(const typed::While &statement) {
  const std::vector<LaneVariable> variables = laneVariables(statement, {}, "chain.by.lane");
  inEachLane(statement, variables, std::vector<uint8_t>(e->frame->function->slots.size()), [&](Value *) {
    WarpLoop loop;
    const LoopEntry entry{mask, exits, exitsByReturn};
    beginLoop(loop, statement, false);
    emitUniformWhile(statement, loop);
    endLoop(statement, {}, loop, entry);
  });
}

/// The loop is emitted with separate variables, each of which is scalar: the lane's.
/// The frame gets other storage for the time of the loop, with its own shapes: scalars, although the same slots are
/// vectors around it. Values go in and out by tables, one element per lane. What the loop assigns and nothing reads
/// afterwards stays inside.
void WarpModel::inEachLane(const typed::Stmt &loop, const std::vector<LaneVariable> &variables,
                           const std::vector<uint8_t> &narrow, function_ref<void(Value *lane)> emitLoop) {
  Frame &frame = *e->frame;
  WarpFrame &outer = storage(frame);
  const unsigned activation = program.shapes.activation(outer.activation, &loop);
  const SlotStorage::Owner owner{*this, e->builder, program.shapes, activation, narrow, true};
  auto own = std::make_unique<WarpFrame>(owner, frame.function->slots.size() + 1);
  own->liveness = outer.liveness;
  std::unique_ptr<Frame::Storage> kept = std::exchange(frame.storage, std::move(own));
  const Scoped<unsigned> some(partial, partial + 1);
  forEachLane(LaneCode::Long, [&](Value *lane) {
    const MaskScope alone(mask, nullptr);
    for (const LaneVariable &variable : variables)
      if (variable.total)
        e->builder.CreateStore(variable.of(lane)[0].value, variable.total);
      else
        writeSlot(frame, *variable.slot, variable.of(lane));
    emitLoop(lane);
    for (const LaneVariable &variable : variables)
      if (variable.isResult)
        keepResult(variable, lane);
  });
  frame.storage = std::move(kept);
  for (const LaneVariable &variable : variables)
    if (variable.isResult)
      writeSlot(frame, *variable.slot, variable.ofAll());
}

void WarpModel::keepResult(const LaneVariable &variable, Value *lane) {
  const LeafSpan all{0, unsigned(variable.leaves.size())};
  const Lanes value = variable.total ? Lanes{e->builder.CreateLoad(e->builder.getInt64Ty(), variable.total)}
                                     : readSlot(*e->frame, *variable.slot, all);
  for (unsigned leaf = 0; leaf < value.size(); ++leaf) {
    // A thread alone has scalars only: a vector would hold other lanes' values.
    TREADLE_CHECK(isUniform(value[leaf]));
    variable.leaves[leaf].own->write(lane, value[leaf].value);
  }
}

} // namespace treadle::codegen
