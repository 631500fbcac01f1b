// block_plan: which statements of a function with barriers run once for a block, and which slots cross from one region
// between barriers to another.
#pragma once

#include "passes/liveness.h"
#include "passes/strided_loops.h"
#include "typed/typed.h"

#include "llvm/ADT/BitVector.h"

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace treadle {

/// What runs at *block level* runs once for the block, between the loops over its warps, in place of once for each
/// thread. Four things must hold of an expression that is evaluated there:
/// - nobody can tell how often it is evaluated: it writes nothing, reads no clock, and no other thread takes part in
/// it;
/// - all threads would get the same value: it has no thread index and no memory of a thread's own, and reads only slots
///   that have one value for the block;
/// - it needs no warp, as none is there: follows from the one before, for thread indices and a thread's memory are all
///   that is a warp's;
/// - a thread is there that would evaluate it: a load, or a division, of threads that have all returned may fault.
/// The plan checks the first two (`isSound`); BlockRegions sees to the last, and leaves the block with its last thread.
struct BlockPlan {
  /// That the above holds of all that runs at block level, no barrier is left inside of an expression, and no region
  /// assigns a slot of the block. Where it is false the warps must be fibers.
  bool isSound = true;
  /// Statements that run outside of the loops over warps: they contain a barrier, leave a loop that does, or assign a
  /// slot that the control of such statements reads.
  std::unordered_set<const typed::Stmt *> blockStatements;
  /// Slots with one value for the whole block.
  llvm::BitVector blockSlots;
  /// Slots assigned once, at the top of the function, from nothing but thread indices, constants, parameters and other
  /// such slots: made again in each region that reads them, instead of being kept.
  llvm::BitVector rematerialized;
  std::vector<const typed::Assign *> definitions; ///< of rematerialized slots in program order
  /// Slots that some region needs from an earlier one.
  llvm::BitVector crossing;

  /// That threadIdx.x is less than a number of the block, and so much more.
  struct Guard {
    const typed::Expr *limit = nullptr;
    unsigned more = 0;
  };
  /// If statements without an else that only such threads enter.
  std::unordered_map<const typed::Stmt *, Guard> guards;

  bool isBlock(const typed::Stmt &statement) const { return blockStatements.contains(&statement); }
};

/// Needs liveness of the same function, before each statement. Afterwards every barrier lies in block statements only.
/// Strided loops run once for the block as well, but their bodies are one region.
BlockPlan planBlocks(const TypedFunction &function, const LivenessTable &liveness,
                     std::span<const StridedLoop> stridedLoops);

/// Slots read and assigned below a statement, Blocks included.
struct SlotUse {
  llvm::BitVector read, written;
};
SlotUse slotsOf(const typed::Stmt &statement, unsigned slotCount);

} // namespace treadle
