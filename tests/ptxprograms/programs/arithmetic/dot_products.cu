// Dot products of bytes: dp4a and dp2a, and sums of absolute differences.
#include "program.h"

KERNEL void dot_products(const u32 *a, const u32 *b, int *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  int *o = out + 8 * i;
  o[0] = __dp4a((int)a[i], (int)b[i], 7);
  o[1] = __dp4a(a[i], b[i], 9u);
  o[2] = __dp2a_lo((int)a[i], (int)b[i], i);
  o[3] = __dp2a_hi((int)a[i], (int)b[i], i);
  o[4] = __dp2a_lo(a[i], b[i], 1u);
  o[5] = __dp2a_hi(a[i], b[i], 1u);
  o[6] = __sad((int)a[i], (int)b[i], 5u);
  o[7] = __usad(a[i], b[i], 5u);
}

/* launches
without_debug()
launch("dot_products", 2, 64, integers("u4", 100), bits("u4", 100), zeros("i4", 800), 100)
*/
