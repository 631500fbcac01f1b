// WarpModel: loops that lanes run one after the other, as each reads elements of its own that lie side by side.
#include "codegen/cpu/warp_model.h"

#include "passes/tree_walk.h"
#include "support/error.h"
#include "support/scoped.h"
#include "typed/purity.h"

#include "llvm/IR/Constants.h"

#include <map>
#include <memory>
#include <set>
#include <utility>

using namespace llvm;

namespace treadle::codegen {

namespace {

/// Nodes of a loop's body up to which 32 lanes gain less from vectors than gathers cost, and lanes that wait for the
/// one with the longest row.
constexpr unsigned laneBudget = 60;

/// Arithmetic takes so little that most of the time goes into the body's loads.
bool isMostlyLoads(typed::Body body) {
  unsigned nodes = 0, loads = 0;
  bool isCheap = true;
  TreeVisitor visitor{[&](const typed::Expr &node) {
                        loads += node.kind == typed::ExprKind::Load;
                        isCheap &= node.kind != typed::ExprKind::Call && node.kind != typed::ExprKind::Allocation &&
                                   node.kind != typed::ExprKind::HeapArray;
                        if (node.kind == typed::ExprKind::Operation)
                          isCheap &= rowOf(node.as<typed::OperationExpr>().op).cost == Cost::Cheap;
                        return ++nodes <= laneBudget && isCheap;
                      },
                      [&](const typed::Stmt &node) {
                        isCheap &= node.kind != typed::StmtKind::While && node.kind != typed::StmtKind::Return;
                        return ++nodes <= laneBudget && isCheap;
                      }};
  visitor.walk(body);
  return isCheap && loads > 0 && nodes <= laneBudget;
}

/// The slots that a loop's body uses, and the loop's own.
struct UsedSlots {
  explicit UsedSlots(const typed::Range &loop) {
    assign(loop.slot);
    TreeVisitor visitor{[&](const typed::Expr &node) {
                          if (node.kind == typed::ExprKind::Slot)
                            all.emplace(node.as<typed::SlotRead>().slot->index, node.as<typed::SlotRead>().slot);
                          return true;
                        },
                        [&](const typed::Stmt &node) {
                          if (node.kind == typed::StmtKind::Assign)
                            assign(node.as<typed::Assign>().slot);
                          if (node.kind == typed::StmtKind::Range)
                            assign(node.as<typed::Range>().slot);
                          return true;
                        }};
    visitor.walk(loop.body);
  }

  /// Those that are assigned in the loop and read after it.
  std::set<uint32_t> results(const BitVector &readAfter) const {
    std::set<uint32_t> found;
    for (const uint32_t index : assigned)
      if (readAfter.test(index))
        found.insert(index);
    return found;
  }

  std::map<uint32_t, const typed::Slot *> all; ///< by their positions
  std::set<uint32_t> assigned;

private:
  void assign(const typed::Slot *slot) {
    all.emplace(slot->index, slot);
    assigned.insert(slot->index);
  }
};

} // namespace

/// A value of each lane, to be read and written by the number of the lane.
class WarpModel::LaneTable {
public:
  /// `isWritten`: also what all lanes share has a place for each.
  LaneTable(WarpModel &model, const Leaf &leaf, bool isWritten)
      : model(model), b(model.e->builder), shared(leaf.value) {
    if (isUniform(leaf) && !isWritten)
      return;
    Value *vector = model.splat(leaf);
    isBool = vector->getType()->getScalarType()->isIntegerTy(1); // in memory these would be bits
    if (isBool)
      vector = b.CreateZExt(vector, model.vectorOf(b.getInt8Ty()));
    place = model.entryAlloca(vector->getType(), "row.by.lane");
    b.CreateStore(vector, place);
  }

  Value *read(Value *lane) const {
    if (!place)
      return shared;
    Value *value = b.CreateLoad(elementType(), at(lane));
    return isBool ? b.CreateTrunc(value, b.getInt1Ty()) : value;
  }
  void write(Value *lane, Value *value) const {
    b.CreateStore(isBool ? b.CreateZExt(value, b.getInt8Ty()) : value, at(lane));
  }
  Value *all() const {
    Value *vector = b.CreateLoad(place->getAllocatedType(), place);
    return isBool ? b.CreateTrunc(vector, model.vectorOf(b.getInt1Ty())) : vector;
  }

private:
  llvm::Type *elementType() const { return place->getAllocatedType()->getScalarType(); }
  Value *at(Value *lane) const { return b.CreateGEP(elementType(), place, b.CreateZExt(lane, b.getInt64Ty())); }

  WarpModel &model;
  IRBuilder<> &b;
  Value *const shared;
  bool isBool = false;
  AllocaInst *place = nullptr;
};

/// Rows of unequal length, one for each lane. Where lanes go side by side, every element takes a gather, and all lanes
/// wait for the longest row; one after the other they read the rows as C does. Rows that begin a known distance apart
/// have no gathers. Nothing in the body may depend on which lanes run it together.
bool WarpModel::isForEachLane(const typed::Range &statement, const RangeBounds &bounds) const {
  const bool isVarying = !isUniform(bounds.start) && !bounds.start.isAffine();
  if (!isVarying || !isUniform(bounds.step) || !statement.otherwise.empty() || options().debug ||
      program.analysis.options.optimization == 0 || program.analysis.usesFibers)
    return false;
  const Effects effects = effectsOf(statement.body);
  return !effects.writes && !effects.meets && !effects.fails && !effects.readsClock && !effects.isOfThread &&
         isMostlyLoads(statement.body);
}

/// Indices that count up from a start that is not negative never wrap.
void WarpModel::emitRangeOfLane(const typed::Range &statement, const RangeBounds &bounds) {
  auto emit = [&](bool staysPositive) {
    WarpLoop loop;
    RangeBounds own = bounds;
    own.staysPositive = staysPositive;
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
  b.CreateCondBr(b.CreateICmpSGE(bounds.start.value, Constant::getNullValue(bounds.start.value->getType())), usual,
                 other);
  for (BasicBlock *version : {usual, other}) {
    b.SetInsertPoint(version);
    emit(version == usual);
    b.CreateBr(done);
  }
  b.SetInsertPoint(done);
}

/// The loop is emitted with variables of its own, each of which is one value: the lane's.
void WarpModel::emitForEachLane(const typed::Range &statement, const RangeBounds &bounds) {
  Frame &frame = *e->frame;
  const UsedSlots used(statement);
  const std::map<uint32_t, const typed::Slot *> &slots = used.all;
  const std::set<uint32_t> results = used.results(joins(statement).after);
  const LaneTable start(*this, bounds.start, false), stop(*this, bounds.stop, false);
  std::map<uint32_t, SmallVector<LaneTable, 2>> tables;
  for (const auto &[index, slot] : slots)
    for (const Leaf &leaf : readSlot(frame, *slot, {0, e->leafCount(slot->type)}))
      tables[index].emplace_back(*this, leaf, results.contains(index));

  WarpFrame &outer = storage(frame);
  const unsigned activation = program.shapes.activation(outer.activation, &statement);
  const SlotStorage::Owner owner{*this, e->builder, program.shapes, activation, {}};
  auto own = std::make_unique<WarpFrame>(owner, frame.function->slots.size() + 1);
  own->liveness = outer.liveness;
  std::unique_ptr<Frame::Storage> kept = std::exchange(frame.storage, std::move(own));
  const Scoped<unsigned> some(partial, partial + 1);
  forEachLane(LaneCode::Long, [&](Value *lane) {
    const MaskScope alone(mask, nullptr);
    for (const auto &[index, slot] : slots) {
      Lanes value;
      for (const LaneTable &table : tables.at(index))
        value.push_back(table.read(lane));
      writeSlot(frame, *slot, value);
    }
    emitRangeOfLane(statement, {start.read(lane), stop.read(lane), bounds.step, bounds.needsSafepoint});
    for (const uint32_t index : results) {
      const Lanes value = readSlot(frame, *slots.at(index), {0, unsigned(tables.at(index).size())});
      for (unsigned leaf = 0; leaf < value.size(); ++leaf) {
        TREADLE_CHECK(isUniform(value[leaf]));
        tables.at(index)[leaf].write(lane, value[leaf].value);
      }
    }
  });
  frame.storage = std::move(kept);
  for (const uint32_t index : results) {
    Lanes value;
    for (const LaneTable &table : tables.at(index))
      value.push_back(table.all());
    writeSlot(frame, *slots.at(index), value);
  }
}

} // namespace treadle::codegen
