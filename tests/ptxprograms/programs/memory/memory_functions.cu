// Copies, fills and comparisons of blocks of memory.
#include "program.h"

struct Block {
  int words[10];
};

KERNEL void memory_functions(const Block *in, Block *out, int *sums) {
  const int i = threadNumber();
  Block local, other;
  memset(&local, i, sizeof local);
  memcpy(&other, &in[i], sizeof other);
  memcpy(local.words + 2, other.words, 5 * sizeof(int));
  out[i] = local;
  memcpy(&out[i].words[8], &in[i].words[1], 2 * sizeof(int));
  int sum = 0;
  for (int k = 0; k < 10; ++k)
    sum += (local.words[k] == other.words[k]) << k;
  sums[i] = sum;
}

/* launches
launch("memory_functions", 1, 32, integers("i4", 320, 0, 3), zeros("i4", 320), zeros("i4", 32))
*/
