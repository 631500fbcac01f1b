// Barriers that count, and, or: of blocks whose last warp is not full.
#include "program.h"

KERNEL void barrier_votes(const int *in, int *out) {
  const int i = threadNumber();
  const int count = __syncthreads_count(in[i] > 50), all = __syncthreads_and(in[i] > 1),
            any = __syncthreads_or(in[i] > 98);
  out[3 * i] = count;
  out[3 * i + 1] = all != 0;
  out[3 * i + 2] = any != 0;
}

/* launches
launch("barrier_votes", 5, 72, integers("i4", 360, 0, 100), zeros("i4", 1080))
*/
