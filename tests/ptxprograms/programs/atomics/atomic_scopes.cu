// Atomics that count for a block, and for the whole system.
#include "program.h"

KERNEL void atomic_scopes(u32 *cells, int *signedCells, u64 *wide) {
  u32 *own = cells + 4 * blockIdx.x;
  atomicAdd_block(&own[0], 3u);
  atomicMax_block(&own[1], threadIdx.x);
  atomicOr_block(&own[2], 1u << (threadIdx.x & 31));
  atomicCAS_block(&own[3], 0u, 77u);
  atomicAdd_system(&signedCells[0], 1);
  atomicMin_system(&signedCells[1], -(int)threadIdx.x);
  atomicXor_system(&wide[0], 1ull << (threadIdx.x & 63));
  atomicAdd_system(&wide[1], 1ull << 32);
}

/* launches
launch("atomic_scopes", 3, 50, zeros("u4", 12), zeros("i4", 2), zeros("u8", 2))
*/
