// Sums, differences and products of 128 bits by the carry flag.
#include "program.h"

#ifdef __CUDACC__
__device__ void add128(const u32 *a, const u32 *b, u32 *c) {
  asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;"
      : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
}
__device__ void sub128(const u32 *a, const u32 *b, u32 *c) {
  asm("sub.cc.u32 %0, %4, %8; subc.cc.u32 %1, %5, %9; subc.cc.u32 %2, %6, %10; subc.u32 %3, %7, %11;"
      : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
}
__device__ void mul64(const u32 *a, const u32 *b, u32 *c) {
  asm("{ mul.lo.u32 %0, %4, %6; mul.hi.u32 %1, %4, %6; mad.lo.cc.u32 %1, %4, %7, %1; madc.hi.u32 %2, %4, %7, 0;"
      " mad.lo.cc.u32 %1, %5, %6, %1; madc.hi.cc.u32 %2, %5, %6, %2; madc.hi.u32 %3, %5, %7, 0;"
      " mad.lo.cc.u32 %2, %5, %7, %2; addc.u32 %3, %3, 0; }"
      : "=&r"(c[0]), "=&r"(c[1]), "=&r"(c[2]), "=&r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}
#else
typedef unsigned __int128 u128;
static u128 join(const u32 *a) { return (u128)((u64)a[3] << 32 | a[2]) << 64 | ((u64)a[1] << 32 | a[0]); }
static void part(u128 value, u32 *c) {
  for (int at = 0; at < 4; ++at)
    c[at] = value >> 32 * at;
}
static void add128(const u32 *a, const u32 *b, u32 *c) { part(join(a) + join(b), c); }
static void sub128(const u32 *a, const u32 *b, u32 *c) { part(join(a) - join(b), c); }
static void mul64(const u32 *a, const u32 *b, u32 *c) { part((u128)(u64)join(a) * (u64)join(b), c); }
#endif

KERNEL void carries(const u32 *a, const u32 *b, u32 *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  add128(a + 4 * i, b + 4 * i, out + 12 * i);
  sub128(a + 4 * i, b + 4 * i, out + 12 * i + 4);
  mul64(a + 4 * i, b + 4 * i, out + 12 * i + 8);
}

/* launches
a = np.where(integers("u1", 400, 0, 2) == 0, integers("u4", 400), np.uint32(0xFFFFFFFF))
launch("carries", 2, 64, array(a), bits("u4", 400), zeros("u4", 1200), 100)
*/
