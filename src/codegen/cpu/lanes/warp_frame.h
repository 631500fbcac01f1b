// WarpFrame: the CPU lane model's data for one activation and the loops in it. WarpIdentity: identifies the warp.
#pragma once

#include "codegen/cpu/lanes/slot_storage.h"
#include "codegen/debug_info.h"
#include "codegen/emitter.h"
#include "passes/analyses/liveness.h"
#include "passes/analyses/spin_loops.h"

#include <vector>

namespace treadle::codegen {

/// The warp's identity as scalars; every emitted function has them.
struct WarpIdentity {
  llvm::Value *geometry = nullptr; ///< cpu::LaunchGeometry
  llvm::Value *arena = nullptr;    ///< cpu::WorkerArena
  /// The record from which outlined functions load all of this: {geometry, arena, block[3], linear, x, y, z}.
  llvm::Value *record = nullptr;
  llvm::Value *block[3] = {};    ///< i32; unset when spanning blocks
  llvm::Value *linear = nullptr; ///< i32: first linear thread of the warp in its block; unset at block level
  llvm::Value *thread[3] = {};   ///< i32: threadIdx of that thread, on the axes where it varies
  /// Spanning blocks: thread coordinates in the grid, i64, of lane 0.
  llvm::Value *gridX = nullptr, *gridY = nullptr, *gridZ = nullptr;
};

/// A loop being emitted.
struct WarpLoop {
  const typed::Stmt *statement = nullptr;
  bool isDivergent = false;
  Patience patience = Patience::Endless;
  llvm::AllocaInst *rounds =
      nullptr; ///< iterations left before yielding to other threads; unless the patience is endless
  llvm::Value *bodyMask = nullptr;
  llvm::BasicBlock *next = nullptr;      ///< target of `continue` by all lanes
  llvm::BasicBlock *exit = nullptr;      ///< target of `break` by all lanes
  llvm::AllocaInst *live = nullptr;      ///< lanes that are iterating or will iterate again
  llvm::AllocaInst *iteration = nullptr; ///< lanes still active in this iteration
  llvm::AllocaInst *broke = nullptr;     ///< lanes that left by `break`; only with an else clause
};

/// Data of one activation.
struct WarpFrame : Frame::Storage {
  WarpFrame(const SlotStorage::Owner &owner, size_t slotCount)
      : activation(owner.activation), slots(owner, slotCount) {}

  const unsigned activation;
  const LivenessTable *liveness = nullptr;
  llvm::Value *entryMask = nullptr;
  llvm::BasicBlock *exit = nullptr;  ///< target of a return by all lanes; created on demand
  llvm::AllocaInst *alive = nullptr; ///< lanes that have not returned; created if they do not all return together
  SlotStorage slots;                 ///< the last slot is the result
  /// For each enclosing construct: the slots that lanes outside of it will still read, so that an assignment must
  /// preserve their values; nullptr if there are none.
  std::vector<const llvm::BitVector *> waiting;
  /// Any slot may be one of those: inside an arm of a conditional expression, as liveness is only known per statement.
  bool everythingWaits = false;
  std::vector<WarpLoop *> loops;

  /// Where debuggers read a slot: one copy of the variable per lane, in lane order.
  struct Watched {
    llvm::AllocaInst *memory = nullptr; ///< nullptr: nowhere
    const DebugVariable *variable = nullptr;
    unsigned part = 0; ///< of the variable
  };
  std::vector<Watched> watched;         ///< by slot; none unless debuggers read them
  llvm::DILocation *callSite = nullptr; ///< with debug information: that of an inlined call
};

} // namespace treadle::codegen
