// Prefix sums of warps by shuffles, joined to those of a block.
#include "program.h"

KERNEL void warp_scan(const int *in, int *out) {
  __shared__ int totals[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = in[threadNumber()];
  for (int by = 1; by < 32; by *= 2) {
    const int other = __shfl_up_sync(0xFFFFFFFF, value, by);
    if (lane >= by)
      value += other;
  }
  if (lane == 31)
    totals[warp] = value;
  __syncthreads();
  if (warp == 0) {
    int total = lane < blockDim.x / 32 ? totals[lane] : 0;
    for (int by = 1; by < 32; by *= 2) {
      const int other = __shfl_up_sync(0xFFFFFFFF, total, by);
      if (lane >= by)
        total += other;
    }
    totals[lane] = total;
  }
  __syncthreads();
  out[threadNumber()] = value + (warp ? totals[warp - 1] : 0);
}

/* launches
launch("warp_scan", 2, 160, integers("i4", 320), zeros("i4", 320))
*/
