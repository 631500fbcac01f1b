// Warps with different work hand buffers to each other by barriers of their own.
#include "program.h"

#ifdef __CUDACC__
__device__ void namedBarrier(u32 id, u32 count) {
  asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(count) : "memory");
}
__device__ void arriveAtBarrier(u32 id, u32 count) {
  asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(count) : "memory");
}
#endif

KERNEL void named_barriers(const int *in, int *out, int rounds) {
  __shared__ int buffer[2][32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) { // makes
    for (int round = 0; round < rounds; ++round) {
      const int half = round & 1;
      if (round >= 2)
        namedBarrier(3 + half, 64);
      buffer[half][lane] = in[round * 32 + lane] * 2;
      arriveAtBarrier(1 + half, 64);
    }
  } else { // takes
    for (int round = 0; round < rounds; ++round) {
      const int half = round & 1;
      namedBarrier(1 + half, 64);
      out[round * 32 + lane] = buffer[half][31 - lane] + 1;
      if (round + 2 < rounds)
        arriveAtBarrier(3 + half, 64);
    }
  }
}

/* launches
launch("named_barriers", 1, 64, integers("i4", 256, -99, 99), zeros("i4", 256), 8)
*/
