// strided_loops: loops in which the threads of a block or grid step through an array together.
#pragma once

#include "passes/analyses/liveness.h"
#include "passes/analyses/uses.h"
#include "passes/grid/grid_ids.h"
#include "typed/typed.h"

#include <vector>

namespace treadle {

/// `for i in range(cuda.grid(1), n, cuda.gridsize(1))`, or the same as a while loop; likewise from cuda.threadIdx.x,
/// and from y or z where warps run along that axis (Facts::laneAxis). `i` is the only loop-carried dependency, so that
/// other threads' iterations may run in between.
struct StridedLoop {
  const typed::Stmt *statement;
  const typed::Slot *slot;
  const typed::Expr *stop, *step; ///< both uniform across the grid
  /// Where a thread starts: its Grid or ThreadIdx on the axis of the lanes.
  PositionOnAxis first;
  typed::Body body; ///< without the last statement of a while loop
};

/// The strided loops at the top level of the kernel, along the axis of its lanes (`laneAxis`). Needs the uses and the
/// liveness of the same function and the explicit grid ids. A step is positive in every program that terminates.
struct StridedLoopSearch {
  const TypedFunction &kernel;
  const Uses &uses;
  const LivenessTable &liveness;
  const GridIds &gridIds;
  unsigned laneAxis; ///< Facts::laneAxis
};
std::vector<StridedLoop> findStridedLoops(const StridedLoopSearch &search);

/// Whether the kernel consists of that loop only, after assignments that may be repeated.
bool isAllOf(const StridedLoop &loop, const TypedFunction &kernel);

} // namespace treadle
