// Reductions of a warp by one instruction.
#include "program.h"

KERNEL void reductions(const int *in, int *out) {
  const int i = threadNumber();
  const u32 mask = threadIdx.x % 32 < 12 ? 0xFFF : 0xFFFFF000;
  int *o = out + 8 * i;
  o[0] = __reduce_add_sync(0xFFFFFFFF, in[i]);
  o[1] = __reduce_min_sync(0xFFFFFFFF, in[i]);
  o[2] = __reduce_max_sync(0xFFFFFFFF, in[i]);
  o[3] = __reduce_min_sync(mask, (u32)in[i]);
  o[4] = __reduce_max_sync(mask, (u32)in[i]);
  o[5] = __reduce_and_sync(mask, in[i] | 0xFFFF);
  o[6] = __reduce_or_sync(mask, in[i] & 0xFF);
  o[7] = __reduce_xor_sync(0xFFFFFFFF, in[i]);
}

/* launches
needs(80)
launch("reductions", 2, 64, integers("i4", 128), zeros("i4", 1024))
*/
