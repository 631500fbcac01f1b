// Shifts of two words as one, and amounts beyond the width.
#include "program.h"

KERNEL void funnel_shift(const u32 *a, const u32 *b, const u32 *by, u32 *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const u32 amount = by[i] & 63;
  u32 *o = out + 6 * i;
  o[0] = __funnelshift_l(a[i], b[i], amount);
  o[1] = __funnelshift_r(a[i], b[i], amount);
  o[2] = __funnelshift_lc(a[i], b[i], amount);
  o[3] = __funnelshift_rc(a[i], b[i], amount);
  o[4] = a[i] << (amount & 31) | a[i] >> (-amount & 31);
  o[5] = (s32)a[i] >> (amount & 31);
}

/* launches
launch("funnel_shift", 2, 64, bits("u4", 100), bits("u4", 100), bits("u4", 100), zeros("u4", 600), 100)
*/
