// Counts, reversals and searches of bits in words of 32 and 64 bits.
#include "program.h"

KERNEL void bit_tricks(const u32 *words, const u64 *wides, u32 *out, u64 *wideOut, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const u32 w = words[i];
  const u64 d = wides[i];
  u32 *o = out + 12 * i;
  o[0] = __popc(w);
  o[1] = __clz(w);
  o[2] = __ffs(w);
  o[3] = __brev(w);
  o[4] = __popcll(d);
  o[5] = __clzll(d);
  o[6] = __ffsll(d);
  o[7] = w & (0u - w);
  o[8] = w ? 31 - __clz(w) : ~0u;
  o[9] = (w >> 5 & 1) + (w >> 3 & 0x7F) * 2;
  o[10] = (w & ~0xFF00u) | (w << 8 & 0xFF00u);
  o[11] = (w & (w >> 1)) ^ (~w | 0x55555555u);
  wideOut[2 * i] = __brevll(d);
  wideOut[2 * i + 1] = d >> (w & 63) | d << (-w & 63);
}

/* launches
launch("bit_tricks", 4, 64, bits("u4", 200), bits("u8", 200), zeros("u4", 2400), zeros("u8", 400), 200)
*/
