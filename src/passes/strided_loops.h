// strided_loops: loops in which the threads of a block or grid step through an array together.
#pragma once

#include "passes/grid_ids.h"
#include "passes/liveness.h"
#include "typed/typed.h"

#include <vector>

namespace treadle {

/// `for i in range(cuda.grid(1), n, cuda.gridsize(1))`, or the same as a while loop; likewise from cuda.threadIdx.x.
/// Iterations depend on each other only through `i`: nothing else is carried from one to the next, so that other
/// threads' iterations may run in between.
struct StridedLoop {
  const typed::Stmt *statement;
  const typed::Slot *slot;
  const typed::Expr *stop, *step; ///< both have one value for the grid
  Operation first;                ///< the index at which a thread starts: its GridX or ThreadIdxX
  typed::Body body;               ///< without the last statement of a while loop
};

/// The strided loops at the top level of the kernel. Needs the liveness of the same function and, if the generator
/// replaces them, the explicit grid ids. A step is positive in every program that terminates.
std::vector<StridedLoop> findStridedLoops(const TypedFunction &kernel, const LivenessTable &liveness,
                                          const GridIds *gridIds);

/// Whether the kernel consists of that loop only, after assignments that may be repeated.
bool isAllOf(const StridedLoop &loop, const TypedFunction &kernel);

} // namespace treadle
