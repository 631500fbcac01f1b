// SHA-256 of one block of each thread: rotations, and words in a ring.
#include "program.h"

__constant__ u32 roots[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static __device__ u32 rotated(u32 value, int by) { return value >> by | value << (32 - by); }

KERNEL void sha256(const u32 *blocks, u32 *digests) {
  const int i = threadNumber();
  u32 w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  u32 first[8];
  for (int k = 0; k < 8; ++k)
    first[k] = s[k];
  for (int k = 0; k < 16; ++k)
    w[k] = __byte_perm(blocks[16 * i + k], 0, 0x0123);
  for (int k = 0; k < 64; ++k) {
    if (k >= 16) {
      const u32 a = w[(k + 1) & 15], b = w[(k + 14) & 15];
      w[k & 15] += (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[(k + 9) & 15] + (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    const u32 t1 = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                   ((s[4] & s[5]) ^ (~s[4] & s[6])) + roots[k] + w[k & 15];
    const u32 t2 = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) +
                   ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int j = 7; j > 0; --j)
      s[j] = s[j - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int k = 0; k < 8; ++k)
    digests[8 * i + k] = s[k] + first[k];
}

/* launches
launch("sha256", 1, 32, integers("u4", 512), zeros("u4", 256))
*/
