// Sums of pairs of halves by atomics.
#include "program.h"
#include <cuda_fp16.h>

KERNEL void atomic_halves(__half2 *sums, float *old) {
  const __half2 before = atomicAdd(&sums[threadIdx.x & 3], __floats2half2_rn(1, 0.25f));
  old[threadNumber()] = __low2float(before);
}

/* launches
launch("atomic_halves", 2, 64, zeros("u2", 8), zeros("f4", 128, in_any_order=True))
*/
