// Range loops: counted without a division for any bounds, and without overflow for any end.
#include "codegen/ptx/ptx_lane_model.h"
#include "passes/ranges/interval.h"

#include "llvm/IR/Module.h"

namespace treadle::codegen::ptx {

using namespace llvm;
using treadle::Type;

namespace {

/// The loop's exit condition.
enum class Ending {
  CompareUp,         ///< the next value is less than the stop; it cannot overflow
  CompareUpUnsigned, ///< the same, as unsigned numbers, since neither is negative
  CompareDown,       ///< the next value is greater than the stop; it cannot overflow
  DistanceUp,        ///< the distance to the stop, unsigned, is greater than the step
  DistanceDown,      ///< likewise downwards
  Countdown,         ///< the sign of the step is unknown: the distance to the stop is counted down alongside the value
};

/// In 128 bits: callers ask of sums of bounds of 64 bits.
bool fits(const Type *type, __int128 value) {
  typed::Interval all = intervals::ofType(type);
  return value >= all.low && value <= all.high;
}

/// Bounds of start, stop and step.
struct Bounds {
  typed::Interval start, stop, step;
};

/// All values of the loop lie between its start and its stop, so a counter of 32 bits suffices if these fit.
const Type *counterOf(const Type *type, const Bounds &bounds) {
  auto all = [&](bool (*fits)(typed::Interval)) {
    return fits(bounds.start) && fits(bounds.stop) && fits(bounds.step);
  };
  if (type->bits() != 64)
    return type;
  if (type->isSigned())
    return all(intervals::fitsInt32) ? types::int32() : type;
  return all(intervals::fitsUint32) ? types::uint32() : type;
}

Ending endingOf(const Type *type, const Bounds &bounds) {
  const auto &[start, stop, step] = bounds;
  // A uint64 that may be negative as an int64 can be compared, but its bounds do not exclude overflow.
  bool isNumber = type->isSigned() || type->bits() < 64 || (stop.low >= 0 && step.low >= 0);
  if (step.low > 0) {
    bool isExact = step.high == 1 || (isNumber && fits(type, __int128(stop.high) - 1 + step.high));
    if (isExact)
      return Ending::CompareUp;
    // Once the loop is entered its stop is above its start.
    const __int128 largest = (__int128(1) << type->bits()) - 1;
    const bool isExactUnsigned = type->isSigned() && start.low >= 0 && __int128(stop.high) - 1 + step.high <= largest;
    return isExactUnsigned ? Ending::CompareUpUnsigned : Ending::DistanceUp;
  }
  if (!type->isSigned())
    return Ending::DistanceUp;
  if (step.high >= 0)
    return Ending::Countdown;
  bool isExact = step.low == -1 || fits(type, __int128(stop.low) + 1 + step.low);
  return isExact ? Ending::CompareDown : Ending::DistanceDown;
}

/// The values of one range loop during emission.
/// Members are in the order of evaluation: bounds decide the counter's type, this decides the ending, and start, stop
/// and step are emitted in that type, in this order.
class CountedLoop {
public:
  CountedLoop(const typed::Range &statement, Emitter &e)
      : b(e.builder), bounds{e.range(*statement.start), e.range(*statement.stop), e.range(*statement.step)},
        counter(counterOf(statement.counter, bounds)), ending(endingOf(counter, bounds)), isSigned(counter->isSigned()),
        start(emit(e, *statement.start)), stop(emit(e, *statement.stop)), step(emit(e, *statement.step)) {}

  /// Whether there is a first iteration.
  /// With a step of 0 there is no iteration; where its range excludes 0, there is no test for it.
  Value *isEntered() {
    Value *isUp = isSigned ? b.CreateICmpSLT(start, stop) : b.CreateICmpULT(start, stop);
    switch (ending) {
    case Ending::CompareUp:
    case Ending::CompareUpUnsigned:
    case Ending::DistanceUp:
      return bounds.step.low <= 0 ? b.CreateAnd(isUp, b.CreateICmpNE(step, zero())) : isUp;
    case Ending::CompareDown:
    case Ending::DistanceDown:
      return b.CreateICmpSGT(start, stop);
    case Ending::Countdown:
      break;
    }
    Value *goesUp = b.CreateICmpSGT(step, zero());
    distance = b.CreateSelect(goesUp, b.CreateSub(stop, start), b.CreateSub(start, stop));
    size = b.CreateSelect(goesUp, step, b.CreateNeg(step));
    Value *isDown = b.CreateAnd(b.CreateICmpSGT(start, stop), b.CreateICmpSLT(step, zero()));
    return b.CreateSelect(goesUp, isUp, isDown);
  }

  /// In the first block of the body; returns the value in the type of the statement's counter.
  Value *begin(BasicBlock *before, llvm::Type *wanted) {
    value = b.CreatePHI(start->getType(), 2);
    value->addIncoming(start, before);
    if (distance) {
      left = b.CreatePHI(start->getType(), 2);
      left->addIncoming(distance, before);
    }
    if (value->getType() == wanted)
      return value;
    const bool isNonNegative = bounds.start.low >= 0 && (bounds.step.low >= 0 || bounds.stop.low >= -1);
    return isNonNegative ? b.CreateZExt(value, wanted, "", /*IsNonNeg=*/isSigned) : b.CreateSExt(value, wanted);
  }

  /// At the end of an iteration; branches to `body` or `end`.
  /// A sum that may wrap is never compared: `DistanceUp` and `DistanceDown` compare what is left with the step, and a
  /// sum that has wrapped is not used.
  void advance(BasicBlock *body, BasicBlock *end) {
    bool isExact = ending == Ending::CompareUp || ending == Ending::CompareDown;
    // A no-wrap flag on a varying step would only make LLVM count in 64 bits again.
    isExact = isExact && (isa<Constant>(step) || counter->bits() == 64);
    Value *next = b.CreateAdd(value, step, "", /*NUW=*/isExact && !isSigned, /*NSW=*/isExact && isSigned);
    value->addIncoming(next, b.GetInsertBlock());
    Value *continues = nullptr;
    if (ending == Ending::CompareUp)
      continues = isSigned ? b.CreateICmpSLT(next, stop) : b.CreateICmpULT(next, stop);
    else if (ending == Ending::CompareUpUnsigned)
      continues = b.CreateICmpULT(next, stop);
    else if (ending == Ending::CompareDown)
      continues = b.CreateICmpSGT(next, stop);
    else if (ending == Ending::DistanceUp)
      continues = b.CreateICmpUGT(b.CreateSub(stop, value), step);
    else if (ending == Ending::DistanceDown)
      continues = b.CreateICmpUGT(b.CreateSub(value, stop), b.CreateNeg(step));
    else {
      continues = b.CreateICmpUGT(left, size);
      left->addIncoming(b.CreateSub(left, size), b.GetInsertBlock());
    }
    b.CreateCondBr(continues, body, end);
  }

private:
  Constant *zero() const { return Constant::getNullValue(start->getType()); }
  /// Cut to the counter's type, into which the ranges of all three fit.
  Value *emit(Emitter &e, const typed::Expr &bound) {
    return b.CreateTrunc(e.emitLeaf(bound).value, e.llvmType(counter));
  }

  IRBuilder<> &b;
  const Bounds bounds;
  const Type *const counter; ///< may be narrower than the statement's
  const Ending ending;
  const bool isSigned;
  Value *start, *stop, *step;
  Value *distance = nullptr, *size = nullptr;
  PHINode *value = nullptr, *left = nullptr;
};

} // namespace

// The loop is emitted in rotated form: one test before it, one at the end of each iteration.
void PtxLaneModel::emitRange(const typed::Range &statement) {
  CountedLoop loop(statement, *e);
  BasicBlock *body = e->newBlock("body"), *next = e->newBlock("next"), *exit = e->newBlock("end");
  BasicBlock *otherwise = statement.otherwise.empty() ? exit : e->newBlock("else");
  Value *isEntered = loop.isEntered();
  BasicBlock *before = e->builder.GetInsertBlock();
  e->builder.CreateCondBr(isEntered, body, otherwise);
  e->builder.SetInsertPoint(body);
  Leaf value = loop.begin(before, e->llvmType(statement.counter));
  writeSlot(*e->frame, *statement.slot, {e->convertLeaf(value, statement.counter, statement.slot->type, {})});
  here().loops.push_back({next, exit});
  emitBody(statement.body);
  here().loops.pop_back();
  fallInto(next);
  // Debuggers and profilers see the step as the loop's own line, wherever the body ends.
  locate(statement.span);
  loop.advance(body, otherwise);
  if (otherwise != exit) {
    e->builder.SetInsertPoint(otherwise);
    emitBody(statement.otherwise);
    if (!isTerminated())
      e->builder.CreateBr(exit);
  }
  e->builder.SetInsertPoint(exit);
}

} // namespace treadle::codegen::ptx
