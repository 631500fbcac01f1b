// FiberCalls: calls from a warp on a fiber that wait for other lanes and other warps.
#pragma once

#include "codegen/cpu/lanes/warp_lanes.h"

namespace treadle::codegen {

/// A waiting call returns once for the lanes that wait and once, on a copy of the fiber, for the others; in each of the
/// two the other lanes appear to have returned.
class FiberCalls : public WarpLanes {
public:
  using WarpLanes::WarpLanes;
  WarpFrame &storage(Frame &frame) { return static_cast<WarpFrame &>(*frame.storage); }

protected:
  /// Calls a waiting function of the runtime: `operands` are the members of its request. The call returns once for the
  /// active lanes and once for the rest, if any. Returns the call's result.
  llvm::Value *callWaiting(const char *symbol, llvm::ArrayRef<llvm::Value *> operands);
  /// Waits for the lanes in the operation's mask. Their values replace `value`; returns the participating lanes as
  /// bits.
  llvm::Value *gatherLanes(const typed::WarpOp &op, llvm::ArrayRef<Leaf> operands, Leaf *value);
  /// No lane of the warp can be elsewhere.
  bool isWholeFiber() const;
  /// After lanes have diverged inside an expression: a fiber with none of the active lanes skips the rest of their
  /// work. Everywhere else some lane is active: one access may stand for all, and loops over lanes start with the
  /// first.
  void skipIfNoLaneIsActive();

  /// The number of enclosing constructs that only some of the lanes may be in. Outside of all of them a fiber is whole,
  /// and no lane of the warp can be elsewhere.
  unsigned partial = 0;
  /// Tracks lanes that leave early. A statement by which some lanes leave the enclosing body increments `exits`; the
  /// emitter of a body compares it before and after each statement, and runs the rest under the remaining lanes
  /// (recomputeMask: those of the innermost loop's iteration, or those that have not returned). After a loop the lanes
  /// that left by `break` and `continue` are active again, and `exits` is restored; those that returned, as
  /// `exitsByReturn` tells, only after the call. Lanes counted in `divergences` by a call never come back: lanes that
  /// wait continue in a copy of the fiber, and are absent from every caller as well.
  unsigned exits = 0, exitsByReturn = 0, divergences = 0;
  /// The end of code that only the active lanes run: of the statement, or of the part of an expression that some lanes
  /// skip. There the mask is reloaded from memory.
  llvm::BasicBlock *skipTarget = nullptr;

private:
  llvm::Value *aliveBits();
  void keepOnly(llvm::Value *lanes);
  Frame &rootFrame();
};

} // namespace treadle::codegen
