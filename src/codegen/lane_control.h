// LaneControl: variables of the lanes, and their control flow.
#pragma once

#include "codegen/lanes.h"
#include "typed/typed.h"

#include "llvm/ADT/ArrayRef.h"

namespace treadle::codegen {

struct Frame;

/// Variables and control flow. Bodies and values are emitted back through the Emitter.
class LaneControl {
public:
  virtual void declareSlots(Frame &frame) = 0;
  /// Some of its leaves: reading all of a tuple for each of its items would take time in the square of their number.
  virtual Lanes readSlot(Frame &frame, const typed::Slot &slot, LeafSpan leaves) = 0;
  virtual void writeSlot(Frame &frame, const typed::Slot &slot, const Lanes &value) = 0;

  virtual void emitBody(typed::Body body) = 0;
  virtual void emitIf(const typed::If &statement) = 0;
  virtual void emitWhile(const typed::While &statement) = 0;
  virtual void emitRange(const typed::Range &statement) = 0;
  virtual void emitBreak() = 0;
  virtual void emitContinue() = 0;
  virtual void emitReturn(const Lanes &value) = 0;
  virtual void emitBarrier(const typed::Barrier &statement) = 0;
  virtual Lanes emitConditional(const typed::Conditional &expression) = 0;
  /// The body of a device function in place: its parameters are already written. Returns its result.
  virtual Lanes emitInlined(Frame &frame) = 0;
  /// Whether the callee cannot be a function of its own.
  virtual bool mustInline(const TypedFunction &) { return false; }
  /// A call of a device function kept as a function.
  virtual Lanes emitOutlined(const TypedFunction &callee, llvm::ArrayRef<Lanes> arguments) = 0;

protected:
  ~LaneControl() = default;
};

} // namespace treadle::codegen
