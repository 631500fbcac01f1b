// Integer sums that stop at the ends, and conversions that clamp, by instruction.
#include "program.h"

#ifdef __CUDACC__
#define CLAMPING(name, text, T, constraint)                                                                            \
  __device__ s32 name(T a, T b) {                                                                                      \
    s32 result;                                                                                                        \
    asm(text : "=r"(result) : constraint(a), constraint(b));                                                           \
    return result;                                                                                                     \
  }
CLAMPING(addClamped, "add.sat.s32 %0, %1, %2;", s32, "r")
CLAMPING(subClamped, "sub.sat.s32 %0, %1, %2;", s32, "r")
CLAMPING(narrowed, "{ .reg .s64 t; add.s64 t, %1, %2; cvt.sat.s32.s64 %0, t; }", s64, "l")
CLAMPING(byteOf, "{ .reg .s32 t; add.s32 t, %1, %2; cvt.sat.s8.s32 %0, t; }", s32, "r")
CLAMPING(madHigh, "mad.hi.sat.s32 %0, %1, %2, %1;", s32, "r")
__device__ s32 unsignedOf(s32 a) {
  s32 result;
  asm("{ .reg .u16 t; cvt.sat.u16.s32 t, %1; cvt.u32.u16 %0, t; }" : "=r"(result) : "r"(a));
  return result;
}
#else
static s32 clampTo(s64 value, s64 low, s64 high) { return value < low ? low : value > high ? high : value; }
static s32 addClamped(s32 a, s32 b) { return clampTo((s64)a + b, INT_MIN, INT_MAX); }
static s32 subClamped(s32 a, s32 b) { return clampTo((s64)a - b, INT_MIN, INT_MAX); }
static s32 narrowed(s64 a, s64 b) { return clampTo((s64)((u64)a + b), INT_MIN, INT_MAX); }
static s32 byteOf(s32 a, s32 b) { return clampTo((s32)((u32)a + b), -128, 127); }
static s32 madHigh(s32 a, s32 b) { return clampTo(((s64)a * b >> 32) + a, INT_MIN, INT_MAX); }
static s32 unsignedOf(s32 a) { return clampTo(a, 0, 65535); }
#endif

KERNEL void saturation(const s32 *a, const s32 *b, const s64 *c, s32 *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  out[6 * i] = addClamped(a[i], b[i]);
  out[6 * i + 1] = subClamped(a[i], b[i]);
  out[6 * i + 2] = narrowed(c[i], b[i]);
  out[6 * i + 3] = byteOf(a[i], b[i]);
  out[6 * i + 4] = madHigh(a[i], b[i]);
  out[6 * i + 5] = unsignedOf(a[i]);
}

/* launches
launch("saturation", 2, 64, bits("i4", 100), integers("i4", 100), bits("i8", 100), zeros("i4", 600), 100)
*/
