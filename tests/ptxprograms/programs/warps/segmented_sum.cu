// Sums of segments that begin anywhere in a warp.
#include "program.h"

KERNEL void segmented_sum(const int *values, const u8 *begins, int *out) {
  const int lane = threadIdx.x % 32;
  int value = values[threadNumber()];
  const u32 heads = __ballot_sync(0xFFFFFFFF, begins[threadNumber()]) | 1;
  const int head = 31 - __clz(heads & (0xFFFFFFFF >> (31 - lane)));
  for (int by = 1; by < 32; by *= 2) {
    const int other = __shfl_up_sync(0xFFFFFFFF, value, by);
    if (lane - by >= head)
      value += other;
  }
  out[threadNumber()] = value;
}

/* launches
launch("segmented_sum", 2, 64, integers("i4", 128, -100, 100), array(integers("u1", 128, 0, 9) == 0, "u1"),
       zeros("i4", 128))
*/
