// Prefix sums of blocks in dynamic shared memory, with two buffers.
#include "program.h"

KERNEL void block_scan(const int *in, int *out) {
  DYNAMIC_SHARED(int, buffer);
  int *from = buffer, *to = buffer + blockDim.x;
  const int i = threadNumber();
  from[threadIdx.x] = in[i];
  __syncthreads();
  for (int by = 1; by < blockDim.x; by *= 2) {
    to[threadIdx.x] = from[threadIdx.x] + (threadIdx.x >= by ? from[threadIdx.x - by] : 0);
    __syncthreads();
    int *other = from;
    from = to, to = other;
  }
  out[i] = from[threadIdx.x];
}

/* launches
launch("block_scan", 4, 100, integers("i4", 400), zeros("i4", 400), shared=800)
*/
