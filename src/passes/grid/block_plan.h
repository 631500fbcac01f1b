// block_plan: which statements of a function with barriers run once per block, and which slots cross from one region
// between barriers to another.
#pragma once

#include "passes/analyses/liveness.h"
#include "passes/analyses/uses.h"
#include "passes/grid/strided_loops.h"

#include "llvm/ADT/BitVector.h"

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace treadle {

/// What runs at *block level* runs once per block, between the loops over its warps, instead of once per thread.
/// Expressions evaluated there must meet four conditions:
/// - the number of evaluations is unobservable: it writes nothing, reads no clock, and involves no other thread;
/// - all threads would get the same value: it contains no thread index and no thread-local memory, and reads only slots
///   that are uniform across the block;
/// - it needs no warp, as there is none at block level: implied by the previous condition, since only thread indices
///   and thread-local memory depend on the warp;
/// - some thread would evaluate it: a load or division on behalf of threads that have all returned may fault.
/// The plan checks the first two (`isSound`); BlockRegions ensures the last by leaving the block with its last thread.
struct BlockPlan {
  /// The conditions above hold for everything at block level, no barrier remains inside an expression, and no region
  /// assigns a block slot. If false, the warps must be fibers.
  bool isSound = true;
  /// Statements that run outside the loops over warps: they contain a barrier, leave a loop that does, or assign a slot
  /// that the control flow of such statements reads.
  std::unordered_set<const typed::Stmt *> blockStatements;
  /// Slots that are uniform across the block.
  llvm::BitVector blockSlots;
  /// Slots assigned once, at the top of the function, from thread indices, constants, parameters and other such slots
  /// only: recomputed in each region that reads them instead of being saved.
  llvm::BitVector rematerialized;
  std::vector<const typed::Assign *> definitions; ///< of rematerialized slots in program order
  /// Slots whose value one region needs from an earlier one.
  llvm::BitVector crossing;

  /// States that threadIdx.x < limit + more, where `limit` is uniform across the block.
  struct Guard {
    const typed::Expr *limit = nullptr;
    unsigned more = 0;
  };
  /// If statements without an else that only threads within the guard enter.
  std::unordered_map<const typed::Stmt *, Guard> guards;

  bool isBlock(const typed::Stmt &statement) const { return blockStatements.contains(&statement); }
};

/// How the lanes of a kernel step through the grid.
struct LaneSteps {
  std::span<const StridedLoop> stridedLoops;
  unsigned laneAxis; ///< Facts::laneAxis
};

/// Needs the uses and the liveness of the same function, before each statement. Afterwards all barriers are in block
/// statements. Strided loops also run once per block, but their bodies are one region.
BlockPlan planBlocks(const TypedFunction &function, const Uses &uses, const LivenessTable &liveness,
                     const LaneSteps &steps);

} // namespace treadle
