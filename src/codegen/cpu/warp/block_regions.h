// BlockRegions: kernels with barriers. The statements between two barriers are a region; warps take turns in each.
#pragma once

#include "codegen/cpu/warp/warp_model.h"
#include "passes/grid/block_plan.h"

#include <map>
#include <vector>

namespace treadle::codegen {

/// Splits a kernel at its barriers. Control flow that contains a barrier is uniform across the block and runs once,
/// outside of the loops over warps; so do assignments of the values on which it depends. Values that live across
/// regions are in the worker's context memory, one place per warp.
class BlockRegions {
public:
  /// forEachWarp(threads, body): emits a loop over the block's warps that have any of its first `threads` threads (i64;
  /// null: all). `body` gets the number of these threads from the warp's first one on (i64).
  using ForEachWarp = llvm::function_ref<void(llvm::Value *, llvm::function_ref<void(llvm::Value *)>)>;

  BlockRegions(Emitter &emitter, WarpModel &model, WarpProgram &program, ForEachWarp forEachWarp)
      : e(emitter), model(model), program(program), forEachWarp(forEachWarp) {}

  /// The frame's slots are declared and its parameters written, as uniform values.
  void emitKernel(Frame &frame);

private:
  using Run = std::span<typed::Stmt *const>;
  struct Activation;
  /// Targets of `continue` and `break` of the whole block.
  struct BlockLoop {
    llvm::BasicBlock *next, *exit;
  };

  void enter(Activation &activation);
  const Uses &usesOf(const Activation &activation) const;
  void emitList(Activation &activation, typed::Body body);
  void emitBlockStatement(Activation &activation, const typed::Stmt &statement);
  void emitBarrier(Activation &activation, const typed::Barrier &statement);
  void emitBlockIf(Activation &activation, const typed::If &statement);
  void emitBlockWhile(Activation &activation, const typed::While &statement);
  llvm::AllocaInst *roundsOf(const typed::Stmt &loop);
  void letOthersRun(const typed::Stmt &loop, llvm::AllocaInst *rounds);
  void emitStrided(Activation &activation, const StridedLoop &loop);
  void emitBlockRange(Activation &activation, const typed::Range &statement);
  /// One loop over the warps; `body` runs with the region's lanes as the mask.
  void emitRegion(Activation &activation, const llvm::BitVector &liveIn, Run statements,
                  llvm::function_ref<void()> body);
  llvm::Value *threadsOf(const Activation &activation, Run statements);
  void rematerialize(Activation &activation, Run statements);
  /// Copies a slot, or a set of lanes, from the context into its storage, or back without `isLoad`.
  void exchange(Activation &activation, uint32_t slot, bool isLoad);
  void exchangeLanes(llvm::AllocaInst *lanes, uint32_t &offset, bool isLoad);
  /// The place of the current warp. `offset`: ~0u until the first use, which reserves it.
  llvm::Value *contextAddress(uint32_t &offset, uint64_t bytes);
  void addLanes(llvm::AllocaInst *bits, llvm::Value *lanes);
  void leaveWithLastThread(llvm::AllocaInst *left);
  /// Evaluated once for the block, outside of the loops over warps; throws NeedsFibers if lanes may differ in it.
  llvm::Value *blockValue(const typed::Expr &expression);
  Lanes blockLanes(const typed::Expr &expression);

  Emitter &e;
  WarpModel &model;
  WarpProgram &program;
  ForEachWarp forEachWarp;
  std::vector<BlockLoop> loops;
  llvm::BasicBlock *end = nullptr; ///< reached when all of the block's threads have returned; null: never
};

} // namespace treadle::codegen
