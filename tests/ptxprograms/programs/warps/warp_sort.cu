// A bitonic sort of a warp's values, without memory.
#include "program.h"

KERNEL void warp_sort(const u32 *in, u32 *out) {
  const int lane = threadIdx.x % 32;
  u32 value = in[threadNumber()];
  for (int size = 2; size <= 32; size *= 2)
    for (int by = size / 2; by > 0; by /= 2) {
      const u32 other = __shfl_xor_sync(0xFFFFFFFF, value, by);
      const bool isLow = (lane & by) == 0, isAscending = (lane & size) == 0;
      value = isLow == isAscending ? min(value, other) : max(value, other);
    }
  out[threadNumber()] = value;
}

/* launches
launch("warp_sort", 2, 96, integers("u4", 192), zeros("u4", 192))
*/
