// Range loops: counted without a division, whatever the bounds, and without overflow, wherever they end.
#include "codegen/ptx/ptx_lane_model.h"

#include <llvm/IR/Module.h>

namespace treadle::ptx {

using namespace llvm;
using treadle::Type;

namespace {

/// How the loop finds out that it is over.
enum class Ending {
  CompareUp,    ///< the next value is less than the stop; it cannot overflow
  CompareDown,  ///< the next value is greater than the stop; it cannot overflow
  DistanceUp,   ///< the distance to the stop, unsigned, is greater than the step
  DistanceDown, ///< likewise downwards
  Countdown,    ///< the sign of the step is not known: the distance is counted down beside the value
};

bool fits(const Type *type, __int128 value) {
  typed::Interval all = RangeTable::ofType(type);
  return value >= all.low && value <= all.high;
}

Ending endingOf(const typed::Range &statement, const Emitter &e) {
  typed::Interval stop = e.range(*statement.stop), step = e.range(*statement.step);
  const Type *type = statement.counter;
  // Bits of a uint64 that may be negative as int64 compare as numbers, but say nothing about overflow.
  bool isNumber = type->isSigned() || type->bits() < 64 || (stop.low >= 0 && step.low >= 0);
  if (step.low > 0) {
    bool isExact = step.high == 1 || (isNumber && fits(type, __int128(stop.high) - 1 + step.high));
    return isExact ? Ending::CompareUp : Ending::DistanceUp;
  }
  if (!type->isSigned())
    return Ending::DistanceUp;
  if (step.high >= 0)
    return Ending::Countdown;
  bool isExact = step.low == -1 || fits(type, __int128(stop.low) + 1 + step.low);
  return isExact ? Ending::CompareDown : Ending::DistanceDown;
}

/// The values of one range loop while it is emitted.
class CountedLoop {
public:
  CountedLoop(const typed::Range &statement, Emitter &e)
      : b(e.builder), ending(endingOf(statement, e)), isSigned(statement.counter->isSigned()),
        start(e.emitLeaf(*statement.start).value), stop(e.emitLeaf(*statement.stop).value),
        step(e.emitLeaf(*statement.step).value), mayBeZero(e.range(*statement.step).low <= 0) {}

  /// Whether there is a first iteration.
  Value *isEntered() {
    Value *isUp = isSigned ? b.CreateICmpSLT(start, stop) : b.CreateICmpULT(start, stop);
    switch (ending) {
    case Ending::CompareUp:
    case Ending::DistanceUp:
      return mayBeZero ? b.CreateAnd(isUp, b.CreateICmpNE(step, zero())) : isUp;
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

  /// In the first block of the body.
  Value *begin(BasicBlock *before) {
    value = b.CreatePHI(start->getType(), 2);
    value->addIncoming(start, before);
    if (!distance)
      return value;
    left = b.CreatePHI(start->getType(), 2);
    left->addIncoming(distance, before);
    return value;
  }

  /// At the end of an iteration; goes back to `body` or on to `end`.
  void advance(BasicBlock *body, BasicBlock *end) {
    bool isExact = ending == Ending::CompareUp || ending == Ending::CompareDown;
    Value *next = b.CreateAdd(value, step, "", /*NUW=*/isExact && !isSigned, /*NSW=*/isExact && isSigned);
    value->addIncoming(next, b.GetInsertBlock());
    Value *goesOn = nullptr;
    if (ending == Ending::CompareUp)
      goesOn = isSigned ? b.CreateICmpSLT(next, stop) : b.CreateICmpULT(next, stop);
    else if (ending == Ending::CompareDown)
      goesOn = b.CreateICmpSGT(next, stop);
    else if (ending == Ending::DistanceUp)
      goesOn = b.CreateICmpUGT(b.CreateSub(stop, value), step);
    else if (ending == Ending::DistanceDown)
      goesOn = b.CreateICmpUGT(b.CreateSub(value, stop), b.CreateNeg(step));
    else {
      goesOn = b.CreateICmpUGT(left, size);
      left->addIncoming(b.CreateSub(left, size), b.GetInsertBlock());
    }
    b.CreateCondBr(goesOn, body, end);
  }

private:
  Constant *zero() const { return Constant::getNullValue(start->getType()); }

  IRBuilder<> &b;
  Ending ending;
  bool isSigned;
  Value *start, *stop, *step;
  bool mayBeZero;
  Value *distance = nullptr, *size = nullptr;
  PHINode *value = nullptr, *left = nullptr;
};

} // namespace

// The loop is made rotated: one test before it, one at the end of each iteration.
void PtxLaneModel::emitRange(const typed::Range &statement) {
  CountedLoop loop(statement, *e);
  BasicBlock *body = e->newBlock("body"), *next = e->newBlock("next"), *exit = e->newBlock("end");
  BasicBlock *otherwise = statement.otherwise.empty() ? exit : e->newBlock("else");
  Value *isEntered = loop.isEntered();
  BasicBlock *before = e->builder.GetInsertBlock();
  e->builder.CreateCondBr(isEntered, body, otherwise);
  e->builder.SetInsertPoint(body);
  Leaf value = loop.begin(before);
  writeSlot(*e->frame, *statement.slot, {e->convertLeaf(value, statement.counter, statement.slot->type, {})});
  here().loops.push_back({next, exit});
  emitBody(statement.body);
  here().loops.pop_back();
  fallInto(next);
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

} // namespace treadle::ptx
