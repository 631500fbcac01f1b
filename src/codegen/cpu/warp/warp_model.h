// WarpModel: the lane model of the CPU. A warp is a vector of 32 lanes with a mask; uniform values stay scalar.
#pragma once

#include "codegen/cpu/warp/fiber_calls.h"

namespace treadle::codegen {

class WarpModel : public FiberCalls {
public:
  /// `root`: the activation, in WarpShapes, of the function being emitted; 0: the kernel.
  explicit WarpModel(WarpProgram &program, unsigned root = 0);

  // warp_collectives.cpp
  void breakpoint();
  Lanes warpOp(const typed::WarpOp &op, llvm::ArrayRef<Leaf> operands) override;
  llvm::AllocaInst *barrierResult();
  bool mustInline(const TypedFunction &callee) override;

  // warp_slots.cpp
  void declareSlots(Frame &frame) override;
  Lanes readSlot(Frame &frame, const typed::Slot &slot, LeafSpan leaves) override;
  void writeSlot(Frame &frame, const typed::Slot &slot, const Lanes &value) override;

  // warp_debug.cpp
  /// Starts an LLVM function for this function, before anything is emitted into it; returns the previous one, to be
  /// continued with `resumeDebug`.
  const llvm::Function *beginDebug(llvm::Function &code, const TypedFunction &function);
  void resumeDebug(const llvm::Function *code);
  /// Sets the source location of the code that follows.
  void locate(const SourceSpan &span);

  // warp_control.cpp
  void emitBody(typed::Body body) override;
  void emitIf(const typed::If &statement) override;
  void emitBreak() override;
  void emitContinue() override;
  void emitReturn(const Lanes &value) override;
  void emitBarrier(const typed::Barrier &statement) override;
  Lanes emitConditional(const typed::Conditional &expression) override;
  // warp_loops.cpp
  void emitWhile(const typed::While &statement) override;
  void emitRange(const typed::Range &statement) override;
  // warp_calls.cpp
  Lanes emitInlined(Frame &frame) override;
  Lanes emitOutlined(const TypedFunction &callee, llvm::ArrayRef<Lanes> arguments) override;

  /// The statements of the kernel, or of an outlined function, for these lanes.
  void emitKernelBody(Frame &frame, llvm::Value *lanes);
  /// A loop around `body`; the strided loop inside `body` becomes each warp's part of one iteration. `first`: the
  /// smallest index of any thread here.
  struct StrideBounds {
    const StridedLoop &loop;
    llvm::Value *first, *stop, *step;
  };
  void emitStrided(const StrideBounds &bounds, llvm::function_ref<void()> body);
  /// Inside the body of emitStrided().
  bool isStriding() const { return stride.loop != nullptr; }

  /// Emits `body` under `lanes`: it is skipped if none is active; with `isVersioned`, there is an unmasked copy for
  /// when all are. `waiting`: slots that the lanes outside of `lanes` will still read.
  void emitUnder(llvm::Value *lanes, const llvm::BitVector *waiting, llvm::function_ref<void()> body, bool isVersioned);

  bool isWorthVersioning(typed::Body body) const;

  // warp_loops.cpp: also for loops at block level
  /// Whether there is an iteration at `value`.
  llvm::Value *rangeHolds(const typed::Range &statement, llvm::Value *value, llvm::Value *stop, llvm::Value *step);
  /// Whether another iteration follows the one at `value`: the distance to `stop` exceeds the step. Neither can
  /// overflow.
  llvm::Value *rangeContinues(const typed::Range &statement, llvm::Value *value, llvm::Value *stop, llvm::Value *step);
  /// Creates the iteration counter of a loop that is about to be entered.
  llvm::AllocaInst *roundsOf(Patience patience);
  /// Counts an iteration.
  llvm::Value *isTurnOver(llvm::AllocaInst *rounds, Patience patience);

  void safepoint();
  /// A safepoint that need not be declared in the image: its callers run only briefly between two of them.
  void poll();

private:
  bool isBlended(Frame &frame, const typed::Slot &slot);
  // warp_debug.cpp
  void declareWatched(Frame &frame);
  void watch(Frame &frame, const typed::Slot &slot, const Lanes &value);
  void watchPart(const WarpFrame::Watched &watched, const Lanes &value);
  void watchArrays(const WarpFrame::Watched &watched, const Lanes &value);
  void watchWord(const WarpFrame::Watched &watched, uint32_t offset, const Leaf &word);
  const JoinLiveness &joins(const typed::Stmt &statement);

  /// Whether all lanes of the outer mask are still active, as far as emission knows.
  bool isUniformWithin(llvm::Value *outerMask) const { return !mask || mask == outerMask; }
  void leaveLoop(bool alsoLoop);
  void emitFunctionBody(Frame &frame);
  void recomputeMask(llvm::Value *before);
  void joinLanes(llvm::Value *before, bool someLeft);
  void emitOne(const typed::Stmt &statement);
  void emitRest(typed::Body rest);
  bool isCheap(typed::Body body) const;
  bool isCheap(const typed::Expr &expression) const;
  void leaveDiverged(llvm::Value *before);
  void emitUniformIf(const typed::If &statement, llvm::Value *test);
  Lanes emitUniformConditional(const typed::Conditional &expression, llvm::Value *test);
  Lanes emitVaryingConditional(const typed::Conditional &expression, llvm::Value *test);
  struct ChoiceLevel;
  Lanes chosen(const ChoiceLevel &level, const Lanes &others, bool isBool);
  Lanes emitChoices(const typed::Conditional &expression, llvm::Value *test);
  Lanes emitForLanes(llvm::Value *lanes, const typed::Expr &expression);
  Lanes emitBothArms(const typed::Conditional &expression, llvm::Value *test);

  /// The state before a loop, restored after it.
  struct LoopEntry {
    llvm::Value *mask;
    unsigned exits, returns;
  };
  /// The iteration of a strided loop being emitted: `base` is the index of the thread that began at `first`, `left` the
  /// distance from there to the stop.
  struct Stride {
    const StridedLoop *loop = nullptr;
    llvm::Value *first = nullptr, *base = nullptr, *left = nullptr;
  };
  /// Such a statement is one iteration of the loop that emitStrided() has put around it.
  bool isStrided(const typed::Stmt &statement) const { return stride.loop && stride.loop->statement == &statement; }
  void emitStridedIteration();
  struct RangeBounds {
    Leaf start, stop, step;
    bool needsSafepoint;
    bool isIndex = false;      ///< the counter is within [0, 2^31), which LLVM could not infer
    bool isVectorized = false; ///< by LLVM: all values are scalars
  };
  void beginWaiting(WarpLoop &loop, const typed::Stmt &statement);
  void letOthersRun(WarpLoop &loop, llvm::BasicBlock *done);
  void beginLoop(WarpLoop &loop, const typed::Stmt &statement, bool hasElse);
  void endLoop(const typed::Stmt &statement, typed::Body otherwise, WarpLoop &loop, LoopEntry entry);
  void emitUniformWhile(const typed::While &statement, WarpLoop &loop);
  void emitDivergentWhile(const typed::While &statement, WarpLoop &loop);
  /// Whether threads run the loop one after the other, in code for one thread each.
  bool isForEachLane(const typed::Range &statement, const RangeBounds &bounds) const;
  bool isForEachLane(const typed::While &statement);
  bool mayRunForEachLane(Effects effects, typed::Body otherwise) const;
  /// The 64-bit total of a sum that is added to in 32 bits within a strip.
  struct StripSum {
    const typed::Slot *slot; ///< stored in 32 bits
    llvm::AllocaInst *total;
  };
  struct LaneVariable;
  std::vector<LaneVariable> laneVariables(const typed::Stmt &loop, llvm::ArrayRef<StripSum> sums, const char *name);
  void keepResult(const LaneVariable &variable, llvm::Value *lane);
  void emitForEachLane(const typed::Range &statement, const RangeBounds &bounds, bool isVectorized);
  void emitForEachLane(const typed::While &statement);
  void inEachLane(const typed::Stmt &loop, const std::vector<LaneVariable> &variables,
                  const std::vector<uint8_t> &narrow, llvm::function_ref<void(llvm::Value *lane)> emitLoop);
  void emitRangeOfLane(const typed::Range &statement, const RangeBounds &bounds);
  // warp_vector_loops.cpp
  bool isWorthVectorizing(const typed::Range &statement, const RangeBounds &bounds);
  bool areFarApart(const VectorizableLoop::Access &access, bool startsFarApart);
  llvm::Value *areLong(const RangeBounds &bounds);
  void emitLongOrShort(const typed::Range &statement, const RangeBounds &bounds);
  void letVectorize(llvm::BranchInst &latch);
  llvm::SmallVector<StripSum, 2> stripSums(const typed::Range &statement);
  void emitStrips(const typed::Range &statement, const RangeBounds &bounds, llvm::ArrayRef<StripSum> sums = {});
  void emitUsualRange(const typed::Range &statement, const RangeBounds &bounds);
  void emitUniformRange(const typed::Range &statement, const RangeBounds &bounds, WarpLoop &loop);
  void emitDivergentRange(const typed::Range &statement, const RangeBounds &bounds, WarpLoop &loop);
  /// Whether no lane leaves the loop before its end, nor waits in it.
  bool mayRunWhole(const typed::Range &statement) const;
  void emitWholeIterations(const typed::Range &statement, const RangeBounds &bounds, WarpLoop &loop,
                           llvm::AllocaInst *counter);
  llvm::Value *lanesBefore(const typed::Range &statement, const RangeBounds &bounds);
  /// The lanes with another iteration. `byDistance`: the counter is affine and not close to overflow.
  llvm::Value *lanesContinuing(const typed::Range &statement, const RangeBounds &bounds, const Leaf &current,
                               bool byDistance);
  llvm::Type *rangeBoolean(llvm::Value *like);
  bool isShort(const Leaf &start, const Leaf &stop, const Leaf &step) const;

  struct CallShape;
  llvm::Value *makeRecord();
  Lanes readResult(Frame &frame);
  llvm::Function *outlinedFunction(const TypedFunction &callee, const CallShape &shape);
  void emitOutlinedBody(llvm::Function &function, const TypedFunction &callee, unsigned root);

  const unsigned rootActivation;
  Stride stride;
  /// Positive where bodies are not versioned: under a mask, in such a version, in an outlined function, and where
  /// debuggers would stop in one version only.
  unsigned versionDepth;
  llvm::AllocaInst *barrierResultPlace = nullptr;
};

} // namespace treadle::codegen
