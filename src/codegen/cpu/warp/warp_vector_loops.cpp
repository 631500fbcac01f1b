// WarpModel: loops that threads run one after the other, where LLVM vectorizes the iterations of each.
#include "codegen/cpu/warp/warp_model.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

#include <limits>

using namespace llvm;

namespace treadle::codegen {

namespace {

/// The fewest iterations of a thread for which vectors of them are faster than vectors of threads.
constexpr unsigned longEnough = 8;
/// Iterations between two safepoints.
constexpr unsigned stripLength = 4096;
/// The most elements between neighbouring lanes' accesses that vectors of lanes load together.
constexpr uint64_t closeElements = 8;
/// The most bytes between neighbouring lanes' arrays.
constexpr uint64_t closeBytes = 64;

/// Along a run: from run to run the distance may be anything, as each run is an access of its own.
bool isClose(const Leaf &leaf, uint64_t most) {
  if (!leaf.isAffine())
    return isUniform(leaf);
  auto *step = dyn_cast<ConstantInt>(leaf.s0);
  return step && step->getValue().abs().ule(most);
}

} // namespace

/// Whether the lanes' elements of an iteration are far from each other, and those of a thread's iterations are not.
/// Emits indices to learn their shapes; LLVM drops what nothing uses.
bool WarpModel::areFarApart(const VectorizableLoop::Access &access, bool startsFarApart) {
  if (!access.isAdjacent)
    return false;
  if (startsFarApart || !isClose(e->emit(*access.at->array)[0], closeBytes))
    return true;
  for (const typed::Expr *index : access.at->indices.first(access.at->indices.size() - 1))
    if (!isUniform(e->emitLeaf(*index)))
      return true;
  return access.offset && !isClose(e->emitLeaf(*access.offset), closeElements);
}

/// With a vector of threads, accesses would be gathers and scatters, but for those of elements that all threads share.
/// Counters of 8 and 16 bits cannot have the bounds that areLong() compares with. A range that is known to be short is
/// not worth its second version.
bool WarpModel::isWorthVectorizing(const typed::Range &statement, const RangeBounds &bounds) {
  const auto found = program.analysis.vectorizableLoops.find(&statement);
  if (found == program.analysis.vectorizableLoops.end() || statement.counter->bits() < 32)
    return false;
  auto *first = dyn_cast<ConstantInt>(bounds.start.value), *last = dyn_cast<ConstantInt>(bounds.stop.value);
  if (first && last && !bounds.start.isAffine() && (last->getValue() - first->getValue()).slt(longEnough))
    return false;
  const bool startsFarApart = !isClose(bounds.start, closeElements);
  const auto &accesses = found->second.accesses;
  const auto far = llvm::count_if(accesses, [&](const auto &access) { return areFarApart(access, startsFarApart); });
  const auto others = llvm::count_if(accesses, [](const auto &access) { return !access.isAdjacent; });
  return far > others;
}

/// Whether some thread has enough iterations, and all counters are in [0, 2^31).
/// `or` has the sign of either, and no bit above those of its operands: one comparison for both bounds.
Value *WarpModel::areLong(const RangeBounds &bounds) {
  IRBuilder<> &b = e->builder;
  const bool areUniform = isUniform(bounds.start) && isUniform(bounds.stop);
  Value *start = areUniform ? bounds.start.value : splat(bounds.start);
  Value *stop = areUniform ? bounds.stop.value : splat(bounds.stop);
  const auto number = [&](uint64_t value) { return ConstantInt::get(start->getType(), value); };
  Value *areIndices = b.CreateICmpULT(b.CreateOr(start, stop), number(uint64_t(1) << 31));
  Value *areEnough = b.CreateICmpSGE(b.CreateSub(stop, start), number(longEnough));
  if (areUniform)
    return b.CreateAnd(areIndices, areEnough);
  Value *others = b.CreateAnd(maskOrAll(), b.CreateNot(areIndices));
  return b.CreateAnd(sets->isAny(b.CreateAnd(maskOrAll(), areEnough)), b.CreateNot(sets->isAny(others)));
}

/// At run time, as the number of iterations seldom is known: vectors of threads are better at short loops.
void WarpModel::emitLongOrShort(const typed::Range &statement, const RangeBounds &bounds) {
  IRBuilder<> &b = e->builder;
  BasicBlock *isLong = e->newBlock("long"), *isShort = e->newBlock("short"), *done = e->newBlock("ranged");
  b.CreateCondBr(areLong(bounds), isLong, isShort);
  b.SetInsertPoint(isLong);
  emitForEachLane(statement, bounds, true);
  b.CreateBr(done);
  b.SetInsertPoint(isShort);
  emitUsualRange(statement, bounds);
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

/// LLVM's vectorizer looks at loops with this metadata only, so that it leaves the warps' own vectors alone.
void WarpModel::letVectorize(BranchInst &latch) {
  LLVMContext &context = latch.getContext();
  auto *enable = MDNode::get(context, {MDString::get(context, "llvm.loop.vectorize.enable"),
                                       ConstantAsMetadata::get(ConstantInt::getTrue(context))});
  MDNode *loop = MDNode::getDistinct(context, {nullptr, enable}); // a loop's metadata begin with themselves
  loop->replaceOperandWith(0, loop);
  latch.setMetadata(LLVMContext::MD_loop, loop);
  program.emission.hasVectorLoops = true;
}

/// Sums whose terms are so small that those of a strip fit in 32 bits: LLVM adds twice as many in a vector, and
/// multiplies 8 and 16 bits by the instructions for dot products.
SmallVector<WarpModel::StripSum, 2> WarpModel::stripSums(const typed::Range &statement) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max() / stripLength;
  SmallVector<StripSum, 2> sums;
  for (const VectorizableLoop::Sum &sum : program.analysis.vectorizableLoops.at(&statement).sums) {
    const auto isSmall = [&](const typed::Expr *term) {
      const typed::Interval range = e->range(*term);
      const int64_t limit = most / int64_t(sum.terms.size());
      return range.low >= -limit && range.high <= limit;
    };
    if (llvm::all_of(sum.terms, isSmall))
      sums.push_back({sum.total, entryAlloca(e->builder.getInt64Ty(), "sum.of.strips")});
  }
  return sums;
}

/// Of one thread, all of whose values are scalars. Within a strip there are no safepoints: LLVM would not vectorize
/// them, and they take time in short bodies. Precondition: all counters are in [0, 2^31).
/// A strip's end cannot wrap: counters are below 2^31, and compared without a sign.
void WarpModel::emitStrips(const typed::Range &statement, const RangeBounds &bounds, ArrayRef<StripSum> sums) {
  IRBuilder<> &b = e->builder;
  llvm::Type *type = bounds.start.value->getType();
  AllocaInst *from = entryAlloca(type, "from");
  b.CreateStore(bounds.start.value, from);
  BasicBlock *head = e->newBlock("strip"), *done = e->newBlock("stripped");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  RangeBounds strip = bounds;
  strip.start = Leaf(b.CreateLoad(type, from));
  Value *end = b.CreateAdd(strip.start.value, ConstantInt::get(type, stripLength));
  strip.stop = Leaf(b.CreateBinaryIntrinsic(Intrinsic::umin, bounds.stop.value, end));
  strip.needsSafepoint = false;
  strip.isIndex = true;
  for (const StripSum &sum : sums)
    writeSlot(*e->frame, *sum.slot, {Leaf(b.getInt64(0))});
  WarpLoop loop;
  const LoopEntry entry{mask, exits, exitsByReturn};
  beginLoop(loop, statement, false);
  emitUniformRange(statement, strip, loop);
  endLoop(statement, {}, loop, entry);
  for (const StripSum &sum : sums) {
    Value *part = readSlot(*e->frame, *sum.slot, {0, 1})[0].value;
    b.CreateStore(b.CreateAdd(b.CreateLoad(part->getType(), sum.total), part), sum.total);
  }
  safepoint();
  b.CreateStore(strip.stop.value, from);
  b.CreateCondBr(b.CreateICmpULT(strip.stop.value, bounds.stop.value), head, done);
  b.SetInsertPoint(done);
}

} // namespace treadle::codegen
