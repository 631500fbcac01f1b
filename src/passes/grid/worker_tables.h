// worker_tables: arrays that a kernel only adds to, so that each worker may have a copy of its own.
#pragma once

#include "typed/typed.h"
#include "types/facts.h"

#include <vector>

namespace treadle {

/// A parameter whose elements the kernel changes by one atomic operation, or by those that it combines with (additions
/// and subtractions), whose results it does not use, and does not access otherwise. The operation's order does not
/// matter, and it has a neutral operand: a worker may begin with a copy of such operands, update it without locks, and
/// merge it when its share of the grid is done. No thread of the launch can tell, as nothing in it reads the array;
/// other programs see the updates of a share together.
struct WorkerTable {
  unsigned parameter;
  AtomicOperation op; ///< that merges
};

/// At most Facts::mostTables, in the order of the parameters. None in kernels in which threads wait for others of the
/// grid or publish what they have written: fences, grid barriers, clusters.
std::vector<WorkerTable> workerTables(const TypedFunction &kernel);

/// The arguments that they are, as ParameterLeaf::argument counts them.
std::vector<unsigned> tableArguments(const TypedFunction &kernel);

} // namespace treadle
