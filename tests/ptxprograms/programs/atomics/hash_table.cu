// A table of keys with linear probing: slots are taken by compare-and-swap, values added.
#include "program.h"

KERNEL void hash_table(const u32 *keys, int n, u32 *slots, u32 *counts, u32 size) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const u32 key = keys[i];
  u32 slot = key * 2654435761u % size;
  while (true) {
    const u32 found = atomicCAS(&slots[slot], 0u, key);
    if (found == 0 || found == key) {
      atomicAdd(&counts[slot], 1u);
      return;
    }
    slot = (slot + 1) % size;
  }
}

/* launches
launch("hash_table", 4, 64, integers("u4", 256, 1, 60), 256, zeros("u4", 97, in_any_order=True),
       zeros("u4", 97, in_any_order=True), u32(97))
*/
