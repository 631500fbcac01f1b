// Integers to floats with every rounding, and doubles to floats.
#include "program.h"

#define ROUND(suffix, at)                                                                                              \
  o[at] = __int2float_##suffix(w);                                                                                     \
  o[at + 1] = __uint2float_##suffix(w);                                                                                \
  o[at + 2] = __ll2float_##suffix(l);                                                                                  \
  o[at + 3] = __ull2float_##suffix(l);                                                                                 \
  o[at + 4] = __ll2double_##suffix(l);                                                                                 \
  o[at + 5] = __ull2double_##suffix(l);                                                                                \
  o[at + 6] = __double2float_##suffix(d);

KERNEL void from_integers(const s32 *words, const s64 *wides, const double *doubles, double *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const s32 w = words[i];
  const s64 l = wides[i];
  const double d = doubles[i];
  double *o = out + 32 * i;
  ROUND(rn, 0)
  ROUND(rz, 7)
  ROUND(rd, 14)
  ROUND(ru, 21)
  o[28] = __int2double_rn(w);
  o[29] = __uint2double_rn(w);
  o[30] = (float)(s8)w + (float)(u16)w;
  o[31] = (double)(s16)w + (double)(u8)w;
}

/* launches
launch("from_integers", 4, 64, bits("i4", 200), bits("i8", 200), wild("f8", 200), zeros("f8", 6400), 200)
*/
