// Bytes of two words in any order, with their signs.
#include "program.h"

KERNEL void byte_permute(const u32 *a, const u32 *b, const u32 *selectors, u32 *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  out[4 * i] = __byte_perm(a[i], b[i], selectors[i] & 0x7777);
  out[4 * i + 1] = __byte_perm(a[i], b[i], 0x0123);
  out[4 * i + 2] = __byte_perm(a[i], 0, 0x4140);
  out[4 * i + 3] = (a[i] >> 16 & 0xFF) | (b[i] & 0xFF00) | (a[i] << 24);
}

/* launches
launch("byte_permute", 2, 64, bits("u4", 100), bits("u4", 100), integers("u4", 100), zeros("u4", 400), 100)
*/
