// Warps that wait for flags of others in shared memory, by volatile accesses and fences.
#include "program.h"

KERNEL void volatile_flags(const int *in, int *out) {
  __shared__ volatile int flag;
  __shared__ int value;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    value = in[blockIdx.x] * 3;
    __threadfence_block();
    flag = 1;
  }
  if (threadIdx.x == 0) {
    while (flag == 0)
      __nanosleep(5);
    __threadfence_block();
    out[blockIdx.x] = value + 1;
  }
}

/* launches
launch("volatile_flags", 3, 64, integers("i4", 3, -99, 99), zeros("i4", 3))
*/
