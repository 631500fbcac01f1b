// A level of a search in a graph: neighbours enter the next frontier once.
#include "program.h"

KERNEL void breadth_first(const int *offsets, const int *columns, const int *frontier, const int *size, int *next,
                          int *nextSize, int *levels, int level) {
  for (int i = threadNumber(); i < *size; i += gridDim.x * blockDim.x) {
    const int node = frontier[i];
    for (int at = offsets[node]; at < offsets[node + 1]; ++at)
      if (atomicCAS(&levels[columns[at]], -1, level) == -1)
        next[atomicAdd(nextSize, 1)] = columns[at];
  }
}

/* launches
offsets, columns = graph(120, 240)
levels = array(np.full(120, -1), "i4"); levels[0] = 0
frontier, size = zeros("i4", 120), array([1], "i4")
for level in range(1, 6):
    following, count = zeros("i4", 120, in_any_order=True), zeros("i4", 1)
    launch("breadth_first", 2, 32, offsets, columns, frontier, size, following, count, levels, level)
    frontier, size = following, count
*/
