// FiberCalls: calls from a warp that is a fiber which wait for other lanes and other warps.
#pragma once

#include "codegen/cpu/warp_lanes.h"

namespace treadle::codegen {

/// A call that waits returns once for the lanes that wait and once, on a copy of the fiber, for the others; for each of
/// the two the others are as if they had returned.
class FiberCalls : public WarpLanes {
public:
  using WarpLanes::WarpLanes;
  WarpFrame &storage(Frame &frame) { return static_cast<WarpFrame &>(*frame.storage); }

protected:
  /// Calls a function of the runtime that waits: `operands` are the members of its request. The call returns once for
  /// those here and once for the rest, if there are any. Returns the call's result.
  llvm::Value *callWaiting(const char *symbol, llvm::ArrayRef<llvm::Value *> operands);
  /// Waits for the lanes that the operation's mask names. Their values replace `value`; returns the lanes that take
  /// part, as bits.
  llvm::Value *gatherLanes(const typed::WarpOp &op, llvm::ArrayRef<Leaf> operands, Leaf *value);
  /// No lane of the warp can be elsewhere.
  bool isWholeFiber() const;
  /// After lanes have diverged inside an expression: a fiber that has none of the active lanes skips what is left for
  /// them to do. Everywhere else some lane is active: one access may stand for all, and loops over lanes begin with
  /// the first.
  void skipIfNoLaneIsActive();

  /// Constructs around the point of emission that only some of the lanes may be in. Outside of all of them a fiber is
  /// whole, and no lane of the warp can be elsewhere.
  unsigned partial = 0;
  /// How lanes that leave early are noticed. A statement by which some lanes leave the body around it counts `exits`
  /// up; whatever emits a body compares it with what it was before each statement, and has the rest run under the lanes
  /// that remain (recomputeMask: those of the innermost loop's iteration, or those that have not returned). After a
  /// loop the lanes that left by `break` and `continue` are back, and `exits` is what it was before it; those that
  /// returned, as `exitsByReturn` tells, are back after the call only. Nothing ever brings back what a call counts in
  /// `divergences`: lanes that wait continue in a copy of the fiber, and are out of every caller as well.
  unsigned exits = 0, exitsByReturn = 0, divergences = 0;
  /// The end of what only the active lanes do: of the statement, or of the part of an expression that some lanes skip.
  /// There the mask is computed anew from memory.
  llvm::BasicBlock *skipTarget = nullptr;

private:
  llvm::Value *aliveBits();
  void keepOnly(llvm::Value *lanes);
  Frame &rootFrame();
};

} // namespace treadle::codegen
