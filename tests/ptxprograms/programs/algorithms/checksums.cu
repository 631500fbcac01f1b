// CRC-32 by a table, Adler-32, and FNV, of strings of bytes.
#include "program.h"

KERNEL void make_table(u32 *table) {
  u32 value = threadIdx.x;
  for (int bit = 0; bit < 8; ++bit)
    value = value & 1 ? value >> 1 ^ 0xEDB88320 : value >> 1;
  table[threadIdx.x] = value;
}
KERNEL void checksums(const u8 *data, const int *lengths, const u32 *table, u32 *out, int each) {
  const int i = threadNumber();
  const u8 *bytes = data + i * each;
  u32 crc = ~0u, a = 1, b = 0;
  u64 hash = 0xCBF29CE484222325ull;
  for (int k = 0; k < lengths[i]; ++k) {
    crc = table[(crc ^ bytes[k]) & 255] ^ crc >> 8;
    a = (a + bytes[k]) % 65521;
    b = (b + a) % 65521;
    hash = (hash ^ bytes[k]) * 0x100000001B3ull;
  }
  out[4 * i] = ~crc;
  out[4 * i + 1] = b << 16 | a;
  out[4 * i + 2] = hash;
  out[4 * i + 3] = hash >> 32;
}

/* launches
table = zeros("u4", 256)
launch("make_table", 1, 256, table)
launch("checksums", 1, 32, integers("u1", 32 * 40), integers("i4", 32, 0, 40), table, zeros("u4", 128), 40)
*/
