// Sorts pairs of keys and values in shared memory.
#include "program.h"

KERNEL void bitonic_sort(u32 *keys, u16 *values) {
  __shared__ u32 key[128];
  __shared__ u16 value[128];
  const int base = blockIdx.x * 128, t = threadIdx.x;
  for (int half = 0; half < 128; half += 64) {
    key[t + half] = keys[base + t + half];
    value[t + half] = values[base + t + half];
  }
  for (int size = 2; size <= 128; size *= 2)
    for (int by = size / 2; by > 0; by /= 2) {
      __syncthreads();
      const int low = 2 * t - (t & (by - 1)), high = low + by;
      const bool isAscending = (low & size) == 0;
      if ((key[low] > key[high]) == isAscending) {
        const u32 k = key[low];
        key[low] = key[high], key[high] = k;
        const u16 v = value[low];
        value[low] = value[high], value[high] = v;
      }
    }
  __syncthreads();
  for (int half = 0; half < 128; half += 64) {
    keys[base + t + half] = key[t + half];
    values[base + t + half] = value[t + half];
  }
}

/* launches
keys = array(np.unique(integers("u4", 400))[:256]); random.shuffle(keys)
launch("bitonic_sort", 2, 64, keys, array(np.arange(256), "u2"))
*/
