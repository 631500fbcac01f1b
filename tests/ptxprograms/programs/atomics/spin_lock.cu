// A lock that one thread of each warp takes at a time.
#include "program.h"

KERNEL void spin_lock(int *lock, int *total, int *order) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(lock, 0, 1) != 0)
      __nanosleep(20);
    __threadfence();
    const int place = *total;
    order[place] = blockIdx.x * 10 + threadIdx.x / 32;
    *total = place + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}
/// Tickets: each thread waits for its turn.
KERNEL void ticket_lock(u32 *next, volatile u32 *serving, u32 *sum) {
  const u32 ticket = atomicAdd(next, 1u);
  bool isDone = false;
  while (!isDone) {
    if (*serving == ticket) {
      __threadfence();
      *sum = *sum * 3 + 1;
      __threadfence();
      *serving = ticket + 1;
      isDone = true;
    } else {
      __nanosleep(8);
    }
  }
}

/* launches
launch("spin_lock", 4, 96, zeros("i4", 1), zeros("i4", 1), zeros("i4", 12, in_any_order=True))
launch("ticket_lock", 2, 5, zeros("u4", 1), zeros("u4", 1), zeros("u4", 1))
*/
