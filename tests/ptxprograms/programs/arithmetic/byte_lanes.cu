// Four bytes or two halves in a word: sums that wrap or stop at the ends, extremes, comparisons.
#include "program.h"

KERNEL void byte_lanes(const u32 *a, const u32 *b, u32 *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const u32 x = a[i], y = b[i];
  u32 *o = out + 21 * i;
  o[0] = __vadd4(x, y);
  o[1] = __vsub4(x, y);
  o[2] = __vaddus4(x, y);
  o[3] = __vsubus4(x, y);
  o[4] = __vaddss4(x, y);
  o[5] = __vavgu4(x, y);
  o[6] = __vmaxs4(x, y);
  o[7] = __vminu4(x, y);
  o[8] = __vabsdiffu4(x, y);
  o[9] = __vcmpeq4(x, y);
  o[10] = __vcmpgts4(x, y);
  o[11] = __vcmpltu4(x, y);
  o[12] = __vadd2(x, y);
  o[13] = __vaddss2(x, y);
  o[14] = __vsub2(x, y);
  o[15] = __vmaxs2(x, y);
  o[16] = __vminu2(x, y);
  o[17] = __vmins2(x, y);
  o[18] = __vmaxu2(x, y);
  o[19] = __vabsdiffs2(x, y);
  o[20] = __vsadu4(x, y);
}

/* launches
launch("byte_lanes", 2, 64, integers("u4", 100), bits("u4", 100), zeros("u4", 2100), 100)
*/
