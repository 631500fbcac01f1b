// Arrays of a thread, indexed by what is known only then.
#include "program.h"

KERNEL void local_arrays(const u8 *in, int *out) {
  const int i = threadNumber();
  int counts[16] = {};
  u8 order[16];
  double sums[4] = {0, 1, 2, 3};
  for (int k = 0; k < 32; ++k)
    counts[in[i * 32 + k] & 15]++;
  for (int k = 0; k < 16; ++k)
    order[k] = k;
  for (int k = 1; k < 16; ++k) { // by insertion
    const u8 moved = order[k];
    int at = k;
    for (; at > 0 && counts[order[at - 1]] < counts[moved]; --at)
      order[at] = order[at - 1];
    order[at] = moved;
  }
  for (int k = 0; k < 16; ++k)
    sums[order[k] & 3] += counts[order[k]] * k;
  int *values = counts;
  values[order[3]] += 5;
  out[2 * i] = order[0] * 100 + order[15] * 10 + counts[order[3]];
  out[2 * i + 1] = (int)(sums[0] - sums[1] + sums[2] * 3 - sums[3]);
}

/* launches
launch("local_arrays", 2, 32, integers("u1", 2048), zeros("i4", 128))
*/
