// WarpModel: loops serialised per lane (ragged rows): each lane's elements are contiguous.
#include "border/compile_options.h"
#include "codegen/cpu/lanes/lane_table.h"
#include "codegen/cpu/warp/warp_model.h"

#include "support/error.h"
#include "support/scoped.h"
#include "typed/loop_exits.h"
#include "typed/purity.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include "llvm/IR/Constants.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>

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

/// Arithmetic takes so little that the body's accesses dominate: calls and costly operations gain from vectors. Atomic
/// operations of all lanes on one element are combined in vectors.
bool isMostlyAccesses(typed::Body body) {
  unsigned nodes = 0, accesses = 0;
  auto isMuch = [&](const typed::Expr &node) {
    accesses += node.kind == typed::ExprKind::Load;
    const bool isCostly =
        node.kind == typed::ExprKind::Operation && rowOf(node.as<typed::OperationExpr>().op).cost == Cost::Costly;
    return ++nodes > laneBudget || isCostly || node.kind == typed::ExprKind::Call ||
           node.kind == typed::ExprKind::WarpOp || traits(node.kind).makesArray || traits(node.kind).writes;
  };
  auto isLong = [&](const typed::Stmt &node) {
    accesses += node.kind == typed::StmtKind::Store;
    return ++nodes > laneBudget || node.kind == typed::StmtKind::Return || node.kind == typed::StmtKind::Print ||
           (node.kind == typed::StmtKind::While && computes(node.as<typed::While>()));
  };
  return !anyNode(body, isMuch, isLong) && accesses > 0;
}

/// The value of each lane: a shared one, or one in a table.
struct LaneValue {
  Value *shared = nullptr;
  std::optional<LaneTable> own = std::nullopt;
  Value *read(Value *lane) const { return own ? own->read(lane) : shared; }
};

} // namespace

/// Rows of unequal length, one per lane. Vectorised across lanes, every element takes a gather, and all lanes wait for
/// the longest row; serialised per lane, rows are read as in C. Rows that begin a known distance apart need no gathers.
/// The body must not depend on which lanes run it together.
/// The start decides: where it is affine, lanes' elements are a known distance apart.
bool WarpModel::isForEachLane(const typed::Range &statement, const RangeBounds &bounds) const {
  const bool isVarying = !isUniform(bounds.start) && !bounds.start.isAffine();
  if (!isVarying || !isUniform(bounds.step) || !statement.otherwise.empty() || options().debug ||
      program.analysis.options.optimization == 0 || program.analysis.usesFibers)
    return false;
  const Effects effects = effectsOf(statement.body);
  return !effects.meets && !effects.fails && !effects.readsClock && !effects.isOfThread &&
         isMostlyAccesses(statement.body);
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

/// The loop is emitted with separate variables, each of which is scalar: the lane's.
/// The frame gets other storage for the time of the loop, with its own shapes: scalars, although the same slots are
/// vectors around it. Values go in and out by tables, one element per lane. What the loop assigns and nothing reads
/// afterwards stays inside.
void WarpModel::emitForEachLane(const typed::Range &statement, const RangeBounds &bounds, bool isVectorized) {
  Frame &frame = *e->frame;
  const Uses &uses = program.analysis.uses.of(*frame.function);
  const Uses::Part body = uses.of(statement.body);
  BitVector results = uses.assigned(body), used = uses.read(body);
  results.set(statement.slot->index);
  used |= results;
  results &= joins(statement).after;
  std::map<uint32_t, const typed::Slot *> slots;
  for (const unsigned index : used.set_bits())
    slots.emplace(index, frame.function->slots[index]);
  auto valueOf = [&](const Leaf &leaf, bool isWritten) {
    // A shared value that the loop changes is one for each lane afterwards.
    if (isUniform(leaf) && !isWritten)
      return LaneValue{leaf.value};
    return LaneValue{nullptr, LaneTable(e->builder, splat(leaf), isVectorized ? "vector.row" : "row.by.lane")};
  };
  const LaneValue start = valueOf(bounds.start, false), stop = valueOf(bounds.stop, false);
  std::map<uint32_t, SmallVector<LaneValue, 2>> tables;
  for (const auto &[index, slot] : slots)
    for (const Leaf &leaf : readSlot(frame, *slot, {0, e->leafCount(slot->type)}))
      tables[index].push_back(valueOf(leaf, results.test(index)));

  WarpFrame &outer = storage(frame);
  const unsigned activation = program.shapes.activation(outer.activation, &statement);
  const auto sums = isVectorized ? stripSums(statement) : SmallVector<StripSum, 2>();
  std::vector<uint8_t> narrow(frame.function->slots.size());
  for (const StripSum &sum : sums)
    narrow[sum.slot->index] = 32;
  const SlotStorage::Owner owner{*this, e->builder, program.shapes, activation, narrow, true};
  auto own = std::make_unique<WarpFrame>(owner, frame.function->slots.size() + 1);
  own->liveness = outer.liveness;
  std::unique_ptr<Frame::Storage> kept = std::exchange(frame.storage, std::move(own));
  const Scoped<unsigned> some(partial, partial + 1);
  auto totalOf = [&](uint32_t index) -> AllocaInst * {
    const auto *found = llvm::find_if(sums, [&](const StripSum &sum) { return sum.slot->index == index; });
    return found == sums.end() ? nullptr : found->total;
  };
  forEachLane(LaneCode::Long, [&](Value *lane) {
    const MaskScope alone(mask, nullptr);
    for (const auto &[index, slot] : slots) {
      Lanes value;
      for (const LaneValue &table : tables.at(index))
        value.push_back(table.read(lane));
      if (AllocaInst *total = totalOf(index))
        e->builder.CreateStore(value[0].value, total);
      else
        writeSlot(frame, *slot, value);
    }
    RangeBounds own{start.read(lane), stop.read(lane), bounds.step, bounds.needsSafepoint};
    own.isVectorized = isVectorized;
    if (isVectorized)
      emitStrips(statement, own, sums);
    else
      emitRangeOfLane(statement, own);
    for (const unsigned index : results.set_bits()) {
      AllocaInst *total = totalOf(index);
      const LeafSpan all{0, unsigned(tables.at(index).size())};
      const Lanes value = total ? Lanes{e->builder.CreateLoad(total->getAllocatedType(), total)}
                                : readSlot(frame, *slots.at(index), all);
      for (unsigned leaf = 0; leaf < value.size(); ++leaf) {
        // A thread alone has scalars only: a vector would hold other lanes' values.
        TREADLE_CHECK(isUniform(value[leaf]));
        tables.at(index)[leaf].own->write(lane, value[leaf].value);
      }
    }
  });
  frame.storage = std::move(kept);
  for (const unsigned index : results.set_bits()) {
    Lanes value;
    for (const LaneValue &table : tables.at(index))
      value.push_back(table.own->all());
    writeSlot(frame, *slots.at(index), value);
  }
}

} // namespace treadle::codegen
