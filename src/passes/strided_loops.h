// strided_loops: loops in which the threads of a block or grid step over an array together.
#pragma once

#include "passes/grid_ids.h"
#include "passes/liveness.h"
#include "typed/typed.h"

#include <vector>

namespace treadle {

/// `for i in range(cuda.grid(1), n, cuda.gridsize(1))`, or the same as a while loop; likewise from cuda.threadIdx.x.
/// Which thread does which i is all that its iterations depend on one another for: nothing but `i` is carried from one
/// to the next, so that other threads' iterations may come between.
struct StridedLoop {
  const typed::Stmt *statement;
  const typed::Slot *slot;
  const typed::Expr *start, *stop, *step; ///< stop and step have one value for the grid
  Operation first;                        ///< what `start` is: GridX or ThreadIdxX
  typed::Body body;                       ///< without a while loop's last statement
};

/// Those that stand at the top of the kernel. Needs liveness of the same function and, where the generator reads them
/// as such, grid ids written out. A step is positive in every program that ends.
std::vector<StridedLoop> findStridedLoops(const TypedFunction &kernel, const LivenessTable &liveness,
                                          const GridIds *gridIds);

/// Whether the kernel is nothing but that loop, after assignments that may be made again and again.
bool isAllOf(const StridedLoop &loop, const TypedFunction &kernel);

} // namespace treadle
