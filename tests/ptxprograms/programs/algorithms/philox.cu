// Philox 4x32-10: numbers that only their place determines.
#include "program.h"

static __device__ uint4 round(uint4 c, uint2 key) {
  const u32 high0 = __umulhi(0xD2511F53, c.x), low0 = 0xD2511F53 * c.x;
  const u32 high1 = __umulhi(0xCD9E8D57, c.z), low1 = 0xCD9E8D57 * c.z;
  return make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
}

KERNEL void philox(uint4 *out, float2 *uniform, u64 seed) {
  const int i = threadNumber();
  uint4 counter = make_uint4(i, 0, 7, 0);
  uint2 key = make_uint2((u32)seed, (u32)(seed >> 32));
  for (int k = 0; k < 10; ++k) {
    counter = round(counter, key);
    key.x += 0x9E3779B9, key.y += 0xBB67AE85;
  }
  out[i] = counter;
  uniform[i] = make_float2(counter.x * 0x1p-32f + 0x1p-33f, (counter.y >> 8) * 0x1p-24f);
}

/* launches
launch("philox", 2, 64, zeros("u4", 512), zeros("f4", 256), u64(0x123456789ABCDEF))
*/
