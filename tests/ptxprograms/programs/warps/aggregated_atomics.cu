// One atomic for all lanes of a warp that take part.
#include "program.h"

KERNEL void aggregated_atomics(const int *in, int *counter, int *list, int n) {
  const int i = threadNumber(), lane = threadIdx.x % 32;
  const bool takes = i < n && (in[i] & 5) == 1;
  const u32 all = __ballot_sync(0xFFFFFFFF, takes);
  int base = 0;
  if (all && lane == __ffs(all) - 1)
    base = atomicAdd(counter, __popc(all));
  base = __shfl_sync(0xFFFFFFFF, base, all ? __ffs(all) - 1 : 0);
  if (takes)
    list[base + __popc(all & ((1u << lane) - 1))] = in[i];
}

/* launches
launch("aggregated_atomics", 3, 64, integers("i4", 180), zeros("i4", 1), zeros("i4", 180, in_any_order=True), 180)
*/
