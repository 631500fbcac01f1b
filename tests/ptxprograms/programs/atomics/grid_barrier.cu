// Blocks that wait for each other between the steps of a computation: on the host, all steps in the last block.
#include "program.h"

#ifdef __CUDACC__
__device__ void waitForGrid(u32 *count, u32 round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1u);
    while (*(volatile u32 *)count < round * gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
}

KERNEL void grid_barrier(int *from, int *to, u32 *count, int steps) {
  const int n = gridDim.x * blockDim.x, i = threadNumber();
  for (int step = 1; step <= steps; ++step) {
    to[i] = from[i] * 3 + from[(i + n / 2 + 1) % n];
    waitForGrid(count, step);
    int *other = from;
    from = to, to = other;
  }
}
#else
KERNEL void grid_barrier(int *from, int *to, u32 *count, int steps) {
  const int n = gridDim.x * blockDim.x;
  if (threadNumber() != n - 1)
    return;
  for (int step = 1; step <= steps; ++step) {
    for (int i = 0; i < n; ++i)
      to[i] = (u32)from[i] * 3 + from[(i + n / 2 + 1) % n];
    int *other = from;
    from = to, to = other;
  }
  *count = steps * gridDim.x;
}
#endif

/* launches
launch("grid_barrier", 4, 40, integers("i4", 160), zeros("i4", 160), zeros("u4", 1), 3)
*/
