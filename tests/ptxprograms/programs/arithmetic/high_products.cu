// Upper halves of products, and 128-bit sums, differences and products.
#include "program.h"

typedef unsigned __int128 u128;

KERNEL void high_products(const u64 *a, const u64 *b, u64 *out, u32 *words, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  u64 *o = out + 8 * i;
  o[0] = __umul64hi(a[i], b[i]);
  o[1] = __mul64hi(a[i], b[i]);
  const u128 product = (u128)a[i] * b[i], wide = (u128)b[i] << 64 | a[i];
  const u128 sum = product + wide, difference = product - wide, square = wide * wide;
  o[2] = sum >> 64;
  o[3] = difference;
  o[4] = difference >> 64;
  o[5] = square >> 64;
  o[6] = square;
  o[7] = (wide << (a[i] & 127)) >> 64;
  words[3 * i] = __umulhi(a[i], b[i]);
  words[3 * i + 1] = __mulhi(a[i], b[i]);
  words[3 * i + 2] = __umul24(a[i], b[i]) + __mul24(a[i] >> 8, b[i]);
}

/* launches
launch("high_products", 2, 64, bits("u8", 100), bits("u8", 100), zeros("u8", 800), zeros("u4", 300), 100)
*/
