// Shared memory of one warp, ordered by its own barrier.
#include "program.h"

KERNEL void warp_sync(const int *in, int *out) {
  __shared__ int cells[64];
  const int lane = threadIdx.x % 32, first = threadIdx.x - lane;
  cells[threadIdx.x] = in[threadNumber()];
  __syncwarp();
  int sum = 0;
  for (int step = 0; step < 5; ++step) {
    sum += cells[first + (lane + step + 1) % 32];
    __syncwarp();
    cells[threadIdx.x] = sum;
    __syncwarp();
  }
  if (lane < 16) {
    __syncwarp(0xFFFF);
    sum += cells[first + 15 - lane];
  }
  out[threadNumber()] = sum;
}

/* launches
launch("warp_sync", 2, 64, integers("i4", 128), zeros("i4", 128))
*/
