// The modes of prmt, which C cannot say, against their definition.
#include "program.h"

#ifdef __CUDACC__
#define PERMUTE(mode)                                                                                                  \
  __device__ u32 permute_##mode(u32 a, u32 b, u32 c) {                                                                 \
    u32 result;                                                                                                        \
    asm("prmt.b32." #mode " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));                                 \
    return result;                                                                                                     \
  }
__device__ u32 permute_any(u32 a, u32 b, u32 c) {
  u32 result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
#else
/// The bytes, from the lowest on, that a mode takes for each control.
#define PERMUTE(mode)                                                                                                  \
  static u32 permute_##mode(u32 a, u32 b, u32 c) {                                                                     \
    static const char *const rows[] = {ROWS_##mode};                                                                   \
    u32 result = 0;                                                                                                    \
    for (int byte = 0; byte < 4; ++byte)                                                                               \
      result |= (u32)((((u64)b << 32 | a) >> (rows[c & 3][3 - byte] - '0') * 8) & 255) << byte * 8;                    \
    return result;                                                                                                     \
  }
#define ROWS_f4e "3210", "4321", "5432", "6543"
#define ROWS_b4e "5670", "6701", "7012", "0123"
#define ROWS_rc8 "0000", "1111", "2222", "3333"
#define ROWS_ecl "3210", "3211", "3222", "3333"
#define ROWS_ecr "0000", "1110", "2210", "3210"
#define ROWS_rc16 "1010", "3232", "1010", "3232"
static u32 permute_any(u32 a, u32 b, u32 c) { return __byte_perm(a, b, c); }
#endif
PERMUTE(f4e)
PERMUTE(b4e)
PERMUTE(rc8)
PERMUTE(ecl)
PERMUTE(ecr)
PERMUTE(rc16)

KERNEL void permute_modes(const u32 *a, const u32 *b, const u32 *c, u32 *out, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  u32 *o = out + 7 * i;
  o[0] = permute_f4e(a[i], b[i], c[i]);
  o[1] = permute_b4e(a[i], b[i], c[i]);
  o[2] = permute_rc8(a[i], b[i], c[i]);
  o[3] = permute_ecl(a[i], b[i], c[i]);
  o[4] = permute_ecr(a[i], b[i], c[i]);
  o[5] = permute_rc16(a[i], b[i], c[i]);
  o[6] = permute_any(a[i], b[i], c[i]);
}

/* launches
launch("permute_modes", 2, 64, integers("u4", 100), integers("u4", 100), integers("u4", 100), zeros("u4", 700), 100)
*/
