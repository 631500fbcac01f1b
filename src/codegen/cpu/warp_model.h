// WarpModel: the lane model of the CPU. A warp is a vector of 32 lanes with a mask; uniform values stay scalar.
#pragma once

#include "border/kernel_abi.h"
#include "codegen/cpu/lane_sets.h"
#include "codegen/cpu/warp_frame.h"
#include "codegen/cpu/warp_program.h"
#include "codegen/emitter.h"
#include "codegen/lane_model.h"
#include "support/scoped.h"

#include <memory>
#include <vector>

namespace treadle::codegen {

/// Known from how it is made to be a multiple of 32.
bool isMultipleOfWarp(llvm::Value *value);

/// What is emitted in its life runs for other lanes.
using MaskScope = Scoped<llvm::Value *>;

class WarpModel : public LaneModel {
public:
  /// `root`: WarpShapes' name of the activation that the function being emitted starts from; 0: the kernel.
  explicit WarpModel(WarpProgram &program, unsigned root = 0)
      : program(program), rootActivation(root), versionDepth(root == 0 ? 0 : 1) {}
  void attach(Emitter &emitterToUse) {
    e = &emitterToUse;
    sets.emplace(e->builder);
  }

  /// The warp that what is emitted from now on runs for.
  void setWarp(const WarpIdentity &identity) { warp = identity; }

  // warp_values.cpp
  unsigned runCount() const override { return warpLanes / program.settings.runLength; }
  llvm::Value *spread(const Leaf &leaf) override;
  llvm::Value *activeLanes() override { return mask; }
  llvm::Value *divide(llvm::Value *left, llvm::Value *right, bool isSigned, bool isRemainder) override;
  llvm::Value *math(Operation op, llvm::ArrayRef<llvm::Value *> operands) override;
  // warp_masks.cpp
  std::optional<Leaf> compare(const Comparison &comparison) override;
  // warp_alignment.cpp
  std::optional<Leaf> divideByConstant(Operation op, const Leaf &left, const Leaf &right) override;
  void noteFallback(const char *what) { ++program.emission.fallbacks[what]; }
  /// Of a value that is one: in a form that says so.
  llvm::Value *asMultipleOfWarp(llvm::Value *value);
  // warp_identity.cpp
  /// Of the launch's geometry, in i32.
  llvm::Value *geometry(cpu::GeometryWord first, unsigned axis = 0);
  Leaf identity(Operation op, const Type *type) override;

  // warp_collectives.cpp
  Lanes warpOp(const typed::WarpOp &op, llvm::ArrayRef<Leaf> operands) override;
  llvm::AllocaInst *barrierResult();
  bool mustInline(const TypedFunction &callee) override;

  std::vector<RaisedError> &raised() override { return program.emission.raises; }

  // warp_slots.cpp
  void declareSlots(Frame &frame) override;
  Lanes readSlot(Frame &frame, const typed::Slot &slot) override;
  void writeSlot(Frame &frame, const typed::Slot &slot, const Lanes &value) override;

  // warp_control.cpp
  void emitBody(typed::Body body) override;
  void emitIf(const typed::If &statement) override;
  void emitBreak() override;
  void emitContinue() override;
  void emitReturn(const Lanes &value) override;
  void emitBarrier(const typed::Barrier &statement) override;
  Lanes emitConditional(const typed::Conditional &expression) override;
  void print(llvm::ArrayRef<PrintPiece> pieces) override; // warp_reports.cpp, as emitCheck
  void emitCheck(const Leaf &failed, Fault fault, const SourceSpan &span) override;
  // warp_loops.cpp
  void emitWhile(const typed::While &statement) override;
  void emitRange(const typed::Range &statement) override;
  // warp_calls.cpp
  Lanes emitInlined(Frame &frame) override;
  Lanes emitOutlined(const TypedFunction &callee, llvm::ArrayRef<Lanes> arguments) override;

  // warp_memory.cpp
  Lanes load(const Type *element, const Address &address) override;
  void store(const Type *element, const Address &address, const Lanes &value) override;
  Lanes atomic(const AtomicUpdate &update) override;
  Leaf allocate(Frame &frame, const typed::Allocation &allocation) override;
  Leaf dynamicShared(uint32_t alignment) override;
  Leaf dynamicSharedBytes() override;
  unsigned localElementStride(const Type *element) override { return element->bytes() * warpLanes; }
  Leaf capturedPointer(const TypedFunction &function, unsigned id) override;

  /// The statements of the kernel, or of an outlined function, for these lanes.
  void emitKernelBody(Frame &frame, llvm::Value *lanes);
  /// A loop around `body`, in which each warp runs its part of one iteration of a strided loop where that stands.
  /// `first`: the least index of any thread here.
  struct StrideBounds {
    const StridedLoop &loop;
    llvm::Value *first, *stop, *step;
  };
  void emitStrided(const StrideBounds &bounds, llvm::function_ref<void()> body);
  /// Of the widest registers that code is made for.
  unsigned registerBytes() const {
    return program.settings.isa == cpu::VectorIsa::Avx512 ? 64 : program.settings.isa == cpu::VectorIsa::Avx2 ? 32 : 16;
  }
  /// Inside of one.
  bool isStriding() const { return stride.loop != nullptr; }

  /// Emits `body` under `lanes`: skipped where none is active, a copy without a mask where all are if it is worth that.
  /// `waiting`: what the lanes outside of `lanes` will still read.
  void emitUnder(llvm::Value *lanes, const llvm::BitVector *waiting, llvm::function_ref<void()> body, bool isVersioned);

  /// False at block level (passes/block_plan.h), where nothing of a thread's own may be asked for.
  bool hasWarp() const { return warp.linear || program.analysis.spansBlocks; }

  // warp_waiting.cpp: where lanes of a warp part, in kernels that use fibers.
  /// Lanes of the fiber that have not exited, as bits.
  llvm::Value *aliveBits();
  /// Calls a function of the runtime that waits: `operands` are the members of its request. The call returns once for
  /// those here and once for the rest, if there are any. Gives the call's result.
  llvm::Value *callWaiting(const char *symbol, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *gatherLanes(const typed::WarpOp &op, llvm::ArrayRef<Leaf> operands, Leaf *value);
  void beginActivation(const TypedFunction &callee);
  void endActivation();
  llvm::Value *ofActivation(uint64_t bytes);
  llvm::Value *printed(const PrintPiece &piece);
  llvm::SmallVector<llvm::Value *, 3> coordinatesOf(llvm::Value *lanes);
  llvm::Value *placeOf(const SourceSpan &span);

  LaneSets &laneSets() { return *sets; }
  const EmitOptions &options() const { return e->options; }
  llvm::Value *maskOrAll() { return mask ? mask : sets->all(); }
  llvm::AllocaInst *entryAlloca(llvm::Type *type, const char *name) {
    return codegen::entryAlloca(e->builder, type, name);
  }
  llvm::Value *laneNumbers(unsigned bits);
  void safepoint();
  /// Where it is known that what comes between two of them is short.
  void poll();

  WarpFrame &storage(Frame &frame) { return static_cast<WarpFrame &>(*frame.storage); }

private:
  friend class BlockRegions;
  using LanesRef = llvm::ArrayRef<llvm::Value *>;

  bool isBlended(Frame &frame, const typed::Slot &slot);
  const JoinLiveness &joins(const typed::Stmt &statement);

  bool isWarpRange(const Leaf &leaf) const;
  llvm::Value *lanesNearer(const Leaf &affine, llvm::Value *distance);
  std::optional<Leaf> compareWithEdge(const Comparison &comparison);
  bool isUniformWithin(llvm::Value *outerMask) const { return mask == nullptr || mask == outerMask; }
  void leaveLoop(bool alsoLoop);
  void emitFunctionBody(Frame &frame);
  void recomputeMask(llvm::Value *before);
  void joinLanes(llvm::Value *before, bool someLeft);
  void emitRest(typed::Body rest);
  bool isCheap(typed::Body body) const;
  bool isCheap(const typed::Expr &expression) const;
  bool isWorthVersioning(typed::Body body) const;
  llvm::Value *spreadIfAffine(const Leaf &leaf);
  void leaveDiverged(llvm::Value *before);
  llvm::Value *inMemory(llvm::ArrayRef<llvm::Value *> members);
  bool isWholeFiber();
  void keepOnly(llvm::Value *lanes);
  Frame &rootFrame();
  void emitUniformIf(const typed::If &statement, llvm::Value *test);
  Lanes emitUniformConditional(const typed::Conditional &expression, llvm::Value *test);
  Lanes emitBothArms(const typed::Conditional &expression, llvm::Value *test);
  Lanes emitVaryingConditional(const typed::Conditional &expression, llvm::Value *test);
  Lanes mergeLanes(llvm::ArrayRef<std::pair<llvm::BasicBlock *, Lanes>> ends);

  /// The state before a loop, to be restored behind it.
  struct LoopEntry {
    llvm::Value *mask;
    unsigned exits, returns;
  };
  /// The iteration of a strided loop that is being emitted: `base` is where the thread at `first` stands, `left` how
  /// far the stop lies above that.
  struct Stride {
    const StridedLoop *loop = nullptr;
    llvm::Value *first = nullptr, *base = nullptr, *left = nullptr;
  };
  bool isStrided(const typed::Stmt &statement) const { return stride.loop && stride.loop->statement == &statement; }
  void emitStridedIteration();
  struct RangeBounds {
    Leaf start, stop, step;
    bool needsSafepoint;
  };
  void beginWaiting(WarpLoop &loop, const typed::Stmt &statement);
  void letOthersRun(WarpLoop &loop, llvm::BasicBlock *done);
  llvm::AllocaInst *roundsOf(Patience patience);
  llvm::Value *isTurnOver(llvm::AllocaInst *rounds, Patience patience);
  void beginLoop(WarpLoop &loop, const typed::Stmt &statement, bool hasElse);
  void endLoop(const typed::Stmt &statement, typed::Body otherwise, WarpLoop &loop, LoopEntry entry);
  void emitUniformWhile(const typed::While &statement, WarpLoop &loop);
  void emitDivergentWhile(const typed::While &statement, WarpLoop &loop);
  void emitUniformRange(const typed::Range &statement, const RangeBounds &bounds, WarpLoop &loop);
  void emitDivergentRange(const typed::Range &statement, const RangeBounds &bounds, WarpLoop &loop);
  llvm::Value *rangeHolds(const typed::Range &statement, llvm::Value *value, llvm::Value *stop, llvm::Value *step);
  llvm::Value *rangeContinues(const typed::Range &statement, llvm::Value *value, llvm::Value *stop, llvm::Value *step);
  llvm::Value *lanesBefore(const typed::Range &statement, const RangeBounds &bounds);
  llvm::Value *lanesContinuing(const RangeBounds &bounds, llvm::Value *base);
  llvm::Type *rangeBoolean(llvm::Value *like);
  bool isShort(const Leaf &start, const Leaf &stop, const Leaf &step) const;

  struct CallShape;
  llvm::Value *arenaPointer(cpu::ArenaPointer which);
  llvm::Value *makeRecord();
  unsigned streamAlignment(const Type *element, const Address &address) const;
  llvm::Value *streamsTo(const Address &address, const Leaf &to, uint64_t alignment);
  Lanes readResult(Frame &frame);
  llvm::Function *outlinedFunction(const TypedFunction &callee, const CallShape &shape);
  void emitOutlinedBody(llvm::Function &function, const TypedFunction &callee, unsigned root);

  llvm::Value *callVector(const cpu::VectorRoutine &routine, LanesRef operands);
  class LaneTable;
  bool isApart(const AtomicUpdate &update, const Leaf &where) const;
  /// Calls `body(lane)` for each active lane in ascending order; of a short one, rather once for each than in a loop.
  void forEachLane(bool isShort, llvm::function_ref<void(llvm::Value *)> body);

  WarpProgram &program;
  const unsigned rootActivation;
  WarpIdentity warp;
  /// Active lanes, <32 x i1>; nullptr: all. At every point of emission at least one lane is active at run time, but for
  /// short stretches of plain arithmetic.
  llvm::Value *mask = nullptr;
  Emitter *e = nullptr;
  std::optional<LaneSets> sets; ///< there once it is attached
  Stride stride;
  /// Constructs around the point of emission that only some of the lanes may be in. Outside of all of them a fiber is
  /// whole, and no lane of the warp can be elsewhere.
  unsigned partial = 0;
  unsigned versionDepth; ///< inside of a copy that versioning made, or of a loop
  /// How lanes that leave early are noticed. A statement by which some lanes leave the body around it counts `exits`
  /// up; whoever emits a body compares it with what it was before each statement, and has the rest run under the lanes
  /// that remain (recomputeMask: those of the innermost loop's iteration, or those that have not returned). Behind a
  /// loop the lanes that left by `break` and `continue` are back, and `exits` is what it was in front of it; those that
  /// returned, as `exitsByReturn` tells, are back behind the call only. In the end nothing brings back what a call
  /// counts in `divergences`: lanes that wait go on in a copy of the fiber, and are out of every caller as well.
  unsigned exits = 0, exitsByReturn = 0, divergences = 0;
  llvm::AllocaInst *barrierResultPlace = nullptr;
  /// Of the recursive function that is being emitted: behind `begin` its local arrays are made, once it is checked that
  /// there is room for them; `size` stands in that check for the bytes that they take, until these are known.
  struct {
    llvm::Instruction *size = nullptr, *begin = nullptr;
    uint64_t bytes = 0;
  } activation;
};

} // namespace treadle::codegen
