// Extremes, absolute values, averages and selections of integers of each width.
#include "program.h"

#ifdef __CUDACC_RTC__
#define INT_MIN (-2147483647 - 1)
#define LLONG_MIN (-9223372036854775807LL - 1)
#endif

KERNEL void integer_extremes(const s32 *a, const s32 *b, const s64 *c, const s64 *d, s64 *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  s64 *o = out + 12 * i;
  o[0] = min(a[i], b[i]);
  o[1] = max((u32)a[i], (u32)b[i]);
  o[2] = llmin(c[i], d[i]);
  o[3] = ullmax(c[i], d[i]);
  o[4] = a[i] == INT_MIN ? 0 : abs(a[i]);
  o[5] = c[i] == LLONG_MIN ? 0 : llabs(c[i]);
  o[6] = __hadd(a[i], b[i]);
  o[7] = __rhadd(a[i], b[i]);
  o[8] = __uhadd(a[i], b[i]);
  o[9] = a[i] < b[i] ? c[i] : d[i];
  o[10] = (s16)min((s16)a[i], (s16)b[i]) * (s8)c[i];
  o[11] = (u16)max((u16)a[i], (u16)b[i]) * (s64)(u8)d[i] - (a[i] > 0);
}

/* launches
launch("integer_extremes", 2, 64, bits("i4", 100), bits("i4", 100), bits("i8", 100), bits("i8", 100),
       zeros("i8", 1200), 100)
*/
