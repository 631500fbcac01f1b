// Votes and ballots of whole warps, of parts of them, and in branches.
#include "program.h"

KERNEL void votes(const int *in, u32 *out) {
  const int i = threadNumber(), lane = threadIdx.x % 32;
  const int value = in[i];
  u32 *o = out + 6 * i;
  o[0] = __ballot_sync(0xFFFFFFFF, value & 1);
  o[1] = __any_sync(0xFFFFFFFF, value > 900) | __all_sync(0xFFFFFFFF, value < 990) << 1;
  o[2] = __popc(o[0] & ((1u << lane) - 1));
  const u32 mask = lane < 20 ? 0xFFFFF : 0xFFF00000;
  if (lane < 20)
    o[3] = __ballot_sync(mask, value & 2);
  else
    o[3] = __ballot_sync(mask, value & 4);
  o[4] = __any_sync(mask, value > 950) + 2 * __all_sync(mask, value > 10);
  o[5] = __activemask() >> lane & 1;
}

/* launches
launch("votes", 2, 64, integers("i4", 128, 0, 1000), zeros("u4", 768))
*/
