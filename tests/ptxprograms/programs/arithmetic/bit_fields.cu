// Fields of bits by instruction: extraction, insertion, masks, any function of three words.
#include "program.h"

#ifdef __CUDACC__
__device__ u32 extract(u32 a, u32 at, u32 count) {
  u32 result;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(at), "r"(count));
  return result;
}
__device__ s64 extractSigned(s64 a, u32 at, u32 count) {
  s64 result;
  asm("bfe.s64 %0, %1, %2, %3;" : "=l"(result) : "l"(a), "r"(at), "r"(count));
  return result;
}
__device__ u64 insert(u64 a, u64 b, u32 at, u32 count) {
  u64 result;
  asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(result) : "l"(a), "l"(b), "r"(at), "r"(count));
  return result;
}
__device__ u32 mask(u32 at, u32 count) {
  u32 result;
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(result) : "r"(at), "r"(count));
  return result;
}
__device__ u32 majority(u32 a, u32 b, u32 c) {
  u32 result;
  asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
__device__ u32 highest(s32 a) {
  u32 result;
  asm("bfind.s32 %0, %1;" : "=r"(result) : "r"(a));
  return result;
}
#else
static u64 ones(u32 count) { return count > 63 ? ~0ull : (1ull << count) - 1; }
static u32 extract(u32 a, u32 at, u32 count) { return at > 31 ? 0 : (a >> at) & ones(count); }
static s64 extractSigned(s64 a, u32 at, u32 count) {
  if (!count)
    return 0;
  const s64 field = a >> (at > 63 ? 63 : at);
  return at + count > 63 ? field : (s64)((u64)field << (64 - count)) >> (64 - count);
}
static u64 insert(u64 a, u64 b, u32 at, u32 count) {
  const u64 where = at > 63 ? 0 : ones(count) << at;
  return (b & ~where) | (at > 63 ? 0 : a << at & where);
}
static u32 mask(u32 at, u32 count) { return at > 31 ? 0 : (u32)ones(count) << at; }
static u32 majority(u32 a, u32 b, u32 c) { return (a & b) | (a & c) | (b & c); }
static u32 highest(s32 a) {
  const u32 bits = a < 0 ? ~a : a;
  return bits ? 31 - __clz(bits) : ~0u;
}
#endif

KERNEL void bit_fields(const u64 *a, const u64 *b, const u32 *at, const u32 *count, u32 *out, u64 *wide, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  out[4 * i] = extract(a[i], at[i], count[i]);
  out[4 * i + 1] = mask(at[i], count[i]);
  out[4 * i + 2] = majority(a[i], b[i], a[i] >> 32);
  out[4 * i + 3] = highest(a[i]);
  wide[2 * i] = extractSigned(a[i], at[i], count[i]);
  wide[2 * i + 1] = insert(a[i], b[i], at[i], count[i]);
}

/* launches
launch("bit_fields", 4, 64, integers("u8", 200), bits("u8", 200), integers("u4", 200, 0, 70),
       integers("u4", 200, 0, 70), zeros("u4", 800), zeros("u8", 400), 200)
*/
