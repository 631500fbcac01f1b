// Lanes with equal values: sums by one of each set.
#include "program.h"

KERNEL void matches(const int *keys, const u64 *wideKeys, u32 *out, int *sums) {
  const int i = threadNumber(), lane = threadIdx.x % 32;
  const u32 same = __match_any_sync(0xFFFFFFFF, keys[i]);
  int isEqual, isWideEqual;
  out[4 * i] = same;
  out[4 * i + 1] = __match_any_sync(0xFFFFFFFF, wideKeys[i]);
  out[4 * i + 2] = __match_all_sync(0xFFFFFFFF, keys[i] >> 3, &isEqual);
  out[4 * i + 3] = __match_all_sync(0xFFFFFFFF, wideKeys[i], &isWideEqual) + 2 * isWideEqual + isEqual;
  if (lane == __ffs(same) - 1)
    atomicAdd(&sums[keys[i]], __popc(same));
}

/* launches
launch("matches", 2, 64, integers("i4", 128, 0, 7), integers("u8", 128, 0, 1), zeros("u4", 512), zeros("i4", 8))
*/
