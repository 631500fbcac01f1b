// Counts bytes in shared memory first, then in global memory.
#include "program.h"

KERNEL void histogram(const u8 *data, u32 *bins, int n) {
  __shared__ u32 counts[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    counts[i] = 0;
  __syncthreads();
  for (int i = threadNumber(); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (counts[i])
      atomicAdd(&bins[i], counts[i]);
}

/* launches
launch("histogram", 4, 96, integers("u1", 5000), zeros("u4", 256), 5000)
*/
