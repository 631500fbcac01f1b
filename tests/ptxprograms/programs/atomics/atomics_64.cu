// Every atomic operation of 64 bits, and old values that are all different.
#include "program.h"

KERNEL void atomics_64(const u64 *in, u64 *cells, s64 *signedCells, u64 *tickets, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  atomicAdd(&cells[0], in[i]);
  atomicMin(&cells[1], in[i]);
  atomicMax(&cells[2], in[i]);
  atomicAnd(&cells[3], in[i] | 0xFFFFFFFF0000ull);
  atomicOr(&cells[4], in[i] & 0xF00000000Full);
  atomicXor(&cells[5], in[i]);
  atomicMin(&signedCells[0], (s64)in[i]);
  atomicMax(&signedCells[1], (s64)in[i]);
  tickets[i] = atomicAdd(&cells[6], 1ull << 33);
  u64 seen = 0, old;
  do {
    old = seen;
    seen = atomicCAS(&cells[7], old, old * 3 + 1);
  } while (seen != old);
}
KERNEL void exchange_64(u64 *cell, u64 *out) {
  out[threadIdx.x] = atomicExch(cell, 1ull << 40 | threadIdx.x);
}

/* launches
cells = array([0, 2**64 - 1, 0, 2**64 - 1, 0, 0, 0, 0], "u8")
launch("atomics_64", 3, 32, integers("u8", 90), cells, zeros("i8", 2), zeros("u8", 90, in_any_order=True), 90)
launch("exchange_64", 1, 1, zeros("u8", 1), zeros("u8", 1))
*/
