// WarpLanes: lane computations of a warp: values as vectors, thread identities, memory.
#pragma once

#include "border/kernel_abi.h"
#include "codegen/cpu/lanes/lane_sets.h"
#include "codegen/cpu/lanes/warp_frame.h"
#include "codegen/cpu/lanes/warp_program.h"
#include "codegen/emitter.h"
#include "codegen/lane_model.h"
#include "support/scoped.h"

#include <memory>
#include <vector>

namespace treadle::codegen {

/// Whether its construction shows that it is a multiple of the number of lanes.
bool isMultipleOfWarp(llvm::Value *value, unsigned lanes);

/// Emits code for other lanes during its lifetime.
using MaskScope = Scoped<llvm::Value *>;

/// The lowest layer of the CPU's lane model. Each layer calls only itself and those below:
///   WarpLanes leaves and memory, under the current mask
///   FiberCalls calls that wait for other lanes or warps, after which some lanes may be gone
///   WarpModel variables and control flow, which change the mask
class WarpLanes : public LaneModel {
public:
  explicit WarpLanes(WarpProgram &program) : program(program) {}
  void attach(Emitter &emitterToUse) {
    e = &emitterToUse;
    sets.emplace(e->builder, laneCount(), program.settings.isa == VectorIsa::Avx512);
  }

  /// Sets the warp for the code emitted from now on.
  void setWarp(const WarpIdentity &identity) { warp = identity; }
  /// False at block level (passes/grid/block_plan.h), where no per-thread values are available.
  bool hasWarp() const { return warp.linear || program.analysis.spansBlocks; }

  // warp_values.cpp
  unsigned runCount() const override { return laneCount() / program.settings.runLength; }
  llvm::Value *splat(const Leaf &leaf) override;
  llvm::Value *activeLanes() override { return mask; }
  llvm::Value *divide(llvm::Value *left, llvm::Value *right, bool isSigned, bool isRemainder) override;
  llvm::Value *divideByUniform(llvm::Value *left, llvm::Value *right) override;
  Leaf broadcastFirst(const Leaf &value) override;
  bool convertsLongs() const override { return program.settings.isa != VectorIsa::Avx2; }
  llvm::Value *math(Operation op, llvm::ArrayRef<llvm::Value *> operands) override;
  llvm::Value *laneNumbers(unsigned bits);
  /// Processors lack a minimum that returns the number, for a number and NaN in either order.
  bool isOrdered(const typed::Expr &value) override;
  // warp_masks.cpp
  std::optional<Leaf> compare(const Comparison &comparison) override;
  Signs signsOf(const Leaf &index) override;
  // warp_alignment.cpp
  std::optional<Leaf> divideByConstant(Operation op, const Leaf &left, const Leaf &right) override;
  /// A value that is a multiple of laneCount(), in a form for which isMultipleOfWarp() holds.
  llvm::Value *asMultipleOfWarp(llvm::Value *value);
  /// Whether the lanes of a warp are neighbours in one row.
  bool hasWholeRuns() const { return program.settings.runLength == laneCount(); }
  // warp_identity.cpp
  /// A word of the launch's geometry, i32. `first`: of the x axis.
  llvm::Value *geometry(unsigned first, unsigned axis = 0);
  Leaf identity(Operation op, const Type *type) override;
  Leaf peerPointer(const Leaf &pointer, const Leaf &rank) override;
  /// The index of the warp in its block, i64.
  llvm::Value *warpIndex();

  // warp_memory.cpp
  Lanes load(const Type *element, const Address &address) override;
  void store(const Type *element, const Address &address, const Lanes &value) override;
  // warp_atomics.cpp
  Lanes atomic(const AtomicUpdate &update) override;
  // warp_arrays.cpp
  Leaf allocate(Frame &frame, const typed::Allocation &allocation) override;
  Leaf heapMemory(const typed::HeapArray &array, const Leaf &bytes) override; // warp_reports.cpp
  Leaf dynamicShared(uint32_t alignment) override;
  Leaf dynamicSharedBytes() override;
  unsigned localElementStride(const Type *element) override { return element->bytes() * laneCount(); }
  Leaf capturedPointer(const TypedFunction &function, unsigned id) override;
  Leaf constantPointer(const std::vector<std::byte> &bytes) override;
  llvm::Value *arenaPointer(cpu::ArenaPointer which);

  // warp_reports.cpp
  void print(llvm::ArrayRef<PrintPiece> pieces) override;
  void emitCheck(const Leaf &failed, Fault fault, const FaultPlace &place) override;
  std::vector<RaisedError> &raised() override { return program.emission.raises; }
  std::vector<FunctionSource> &sources() override { return program.emission.sources; }

  const WarpSettings &settings() const { return program.settings; }
  unsigned laneCount() const { return program.settings.lanes; }
  llvm::VectorType *vectorOf(llvm::Type *scalar) const { return llvm::VectorType::get(scalar, laneCount(), false); }
  /// How much code runs per lane. Long: never unrolled.
  enum class LaneCode : uint8_t { Usual, Long };
  /// Calls `body(lane)` for each active lane in ascending order.
  void forEachLane(LaneCode code, llvm::function_ref<void(llvm::Value *)> body); // warp_atomics.cpp
  /// Whether each warp runs the code at most once: the memory after its accesses is another warp's.
  bool isOncePerWarp() const { return oncePerWarp; }
  void noteAdjacent() { program.emission.loadsInLoops |= !oncePerWarp; }
  void noteElements() { program.emission.loadsElements = true; }
  void noteFallback(const char *what) { ++program.emission.fallbacks[what]; }
  LaneSets &laneSets() { return *sets; }
  const EmitOptions &options() const { return e->options; }
  /// Code emitted during the result's lifetime runs for `lanes` (nullptr: all).
  [[nodiscard]] MaskScope under(llvm::Value *lanes) { return MaskScope(mask, lanes); }
  llvm::Value *maskOrAll() { return mask ? mask : sets->all(); }
  llvm::AllocaInst *entryAlloca(llvm::Type *type, const char *name) {
    return codegen::entryAlloca(e->builder, type, name);
  }
  /// Size of the widest registers that the code may use.
  unsigned registerBytes() const {
    return program.settings.isa == VectorIsa::Avx512 ? 64 : program.settings.isa == VectorIsa::Avx2 ? 32 : 16;
  }

private:
  // warp_identity.cpp: i32.
  llvm::Value *clusterDim(unsigned axis);
  llvm::Value *blockOn(unsigned axis);
  llvm::Value *clusterBlocks();
  llvm::Value *clusterRank();

protected:
  using LanesRef = llvm::ArrayRef<llvm::Value *>;

  // warp_values.cpp
  llvm::Value *splatIfAffine(const Leaf &leaf);
  /// A phi of the values from these blocks, at the insertion point.
  Lanes mergeLanes(llvm::ArrayRef<std::pair<llvm::BasicBlock *, Lanes>> ends);
  llvm::Value *inMemory(llvm::ArrayRef<llvm::Value *> members);
  // warp_reports.cpp
  /// The members of a FaultPlace.
  llvm::SmallVector<llvm::Value *, 8> wordsOf(const FaultPlace &place);
  // warp_masks.cpp
  llvm::Value *lanesNearer(const Leaf &affine, llvm::Value *distance);
  // warp_arrays.cpp
  void beginActivation(const TypedFunction &callee);
  void endActivation();

  WarpProgram &program;
  WarpIdentity warp;
  /// Active lanes, a vector of i1; nullptr: all. At every point of emission at least one lane is active at run time,
  /// except in short stretches of plain arithmetic.
  llvm::Value *mask = nullptr;
  bool oncePerWarp = true;
  Emitter *e = nullptr;
  std::optional<LaneSets> sets; ///< set by attach()

private:
  class LaneElements;
  struct LaneNumber;
  void inTurns(llvm::ArrayRef<LaneElements *> accessed, llvm::function_ref<void(const LaneNumber &)> body);
  bool isWarpRange(const Leaf &leaf) const;
  std::optional<Leaf> compareWithEdge(const Comparison &comparison);
  unsigned streamAlignment(const Type *element, const Address &address) const;
  void storePastCaches(llvm::Value *all, llvm::Value *to, unsigned alignment);
  llvm::Value *streamsTo(const Address &address, const Leaf &to, uint64_t alignment);
  llvm::Value *callVector(const VectorRoutine &routine, LanesRef operands);
  bool isCopied(const Address &address) const;
  bool isApart(const AtomicUpdate &update, const Leaf &where) const;
  llvm::Value *ofActivation(uint64_t bytes);
  Emission::LocalArray keyOf(const Frame &frame, uint32_t id, uint32_t copy) const;
  llvm::Value *printed(const PrintPiece &piece);
  llvm::Value *blockNumber();
  llvm::SmallVector<llvm::Value *, 3> coordinatesOf(llvm::Value *lanes);

  /// For the recursive function being emitted: its local arrays are allocated after `begin`, once the check has shown
  /// that there is room for them. In that check, `size` is a placeholder for their total size until it is known.
  struct {
    llvm::Instruction *size = nullptr, *begin = nullptr;
    uint64_t bytes = 0;
  } activation;
};

} // namespace treadle::codegen
