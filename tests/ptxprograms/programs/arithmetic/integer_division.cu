// Quotients and remainders of all widths, by variables and by constants.
#include "program.h"

template <class T> __device__ void divide(const T *a, const T *b, T *out, int i) {
  const T divisor = b[i] == 0 ? T(7) : b[i];
  out[4 * i] = a[i] / divisor;
  out[4 * i + 1] = a[i] % divisor;
  out[4 * i + 2] = a[i] / T(10);
  out[4 * i + 3] = a[i] % T(-3);
}

KERNEL void divide_words(const s32 *a, const s32 *b, s32 *out, const u32 *ua, const u32 *ub, u32 *uout) {
  const int i = threadNumber();
  divide(a, b, out, i);
  divide(ua, ub, uout, i);
}
KERNEL void divide_wides(const s64 *a, const s64 *b, s64 *out, const u64 *ua, const u64 *ub, u64 *uout) {
  const int i = threadNumber();
  divide(a, b, out, i);
  divide(ua, ub, uout, i);
}
KERNEL void divide_shorts(const s16 *a, const s16 *b, s16 *out, const u8 *ua, const u8 *ub, u8 *uout) {
  const int i = threadNumber();
  divide(a, b, out, i);
  divide(ua, ub, uout, i);
}

/* launches
smallest = np.iinfo("i4").min
a = bits("i4", 64); b = bits("i4", 64); b[a == smallest] = 3
launch("divide_words", 2, 32, a, b, zeros("i4", 256), bits("u4", 64), bits("u4", 64), zeros("u4", 256))
a = bits("i8", 64); b = bits("i8", 64); b[a == np.iinfo("i8").min] = 3
launch("divide_wides", 2, 32, a, b, zeros("i8", 256), bits("u8", 64), bits("u8", 64), zeros("u8", 256))
launch("divide_shorts", 2, 32, bits("i2", 64), bits("i2", 64), zeros("i2", 256), bits("u1", 64), bits("u1", 64),
       zeros("u1", 256))
*/
