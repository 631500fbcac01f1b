// Sums a block's numbers by shuffles within warps, then among warps.
#include "program.h"

static __device__ int warpSum(int value) {
  for (int by = 16; by > 0; by /= 2)
    value += __shfl_down_sync(0xFFFFFFFF, value, by);
  return value;
}

KERNEL void block_sum(const int *in, int *out, int n) {
  __shared__ int sums[32];
  int value = 0;
  for (int i = threadNumber(); i < n; i += gridDim.x * blockDim.x)
    value += in[i];
  value = warpSum(value);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
    value = warpSum(value);
    if (threadIdx.x == 0)
      out[blockIdx.x] = value;
  }
}

/* launches
launch("block_sum", 3, 256, integers("i4", 4000), zeros("i4", 3), 4000)
*/
