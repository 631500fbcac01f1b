// Every atomic operation of 32 bits on shared and global memory.
#include "program.h"

KERNEL void atomics_32(const u32 *in, u32 *cells, int *signedCells, u32 *counts, int n) {
  __shared__ u32 own[8];
  __shared__ int ownSigned[3];
  if (threadIdx.x < 8)
    own[threadIdx.x] = threadIdx.x == 1 || threadIdx.x == 3 ? ~0u : 0;
  if (threadIdx.x < 3)
    ownSigned[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadNumber(); i < n; i += gridDim.x * blockDim.x) {
    const u32 value = in[i];
    atomicAdd(&own[0], value);
    atomicMin(&own[1], value);
    atomicMax(&own[2], value);
    atomicAnd(&own[3], value | 0xFFFF);
    atomicOr(&own[4], value & 0xFF00FF);
    atomicXor(&own[5], value);
    atomicInc(&own[6], 12);
    atomicDec(&own[7], 9);
    atomicMin(&ownSigned[0], (int)value);
    atomicMax(&ownSigned[1], (int)value);
    atomicSub(&ownSigned[2], (int)value);
    atomicAdd(&cells[0], value);
    atomicMin(&cells[1], value);
    atomicMax(&cells[2], value);
    atomicAnd(&cells[3], value | 0xFF0000);
    atomicOr(&cells[4], value & 0xF0F0);
    atomicXor(&cells[5], value);
    atomicInc(&cells[6], 30);
    atomicDec(&cells[7], 40);
    atomicAdd(&signedCells[0], (int)value);
    atomicMin(&signedCells[1], (int)value);
    atomicMax(&signedCells[2], (int)value);
  }
  __syncthreads();
  if (threadIdx.x < 8)
    counts[blockIdx.x * 11 + threadIdx.x] = own[threadIdx.x];
  if (threadIdx.x < 3)
    counts[blockIdx.x * 11 + 8 + threadIdx.x] = ownSigned[threadIdx.x];
}

/* launches
cells = array([0, 2**32 - 1, 0, 2**32 - 1, 0, 0, 0, 0], "u4")
launch("atomics_32", 3, 64, integers("u4", 500), cells, zeros("i4", 3), zeros("u4", 33), 500)
*/
