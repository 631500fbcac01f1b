// Threads append what they find to a list, whose order is left open.
#include "program.h"

KERNEL void queue(const int *in, int n, int *list, u32 *length) {
  const int i = threadNumber();
  if (i < n && in[i] % 3 == 0)
    list[atomicAdd(length, 1u)] = in[i];
}

/* launches
launch("queue", 4, 64, integers("i4", 250, 0, 1000), 250, zeros("i4", 250, in_any_order=True), zeros("u4", 1))
*/
