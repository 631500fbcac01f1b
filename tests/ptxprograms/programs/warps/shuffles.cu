// All shuffles, with all widths, of words, floats, doubles and long words.
#include "program.h"

KERNEL void shuffles(const int *words, const double *doubles, int *out, double *wide) {
  const int i = threadNumber();
  int value = words[i], sum = 0;
  const double d = doubles[i];
  for (int width = 32; width > 1; width /= 2) {
    sum = sum * 7 + __shfl_sync(0xFFFFFFFF, value, words[i] & 31, width);
    sum = sum * 7 + __shfl_up_sync(0xFFFFFFFF, value, 3, width);
    sum = sum * 7 + __shfl_down_sync(0xFFFFFFFF, value, 2, width);
    sum = sum * 7 + __shfl_xor_sync(0xFFFFFFFF, value, 5, width);
  }
  out[i] = sum;
  wide[i] = __shfl_xor_sync(0xFFFFFFFF, d, 9) + __shfl_sync(0xFFFFFFFF, (float)d, 4) +
            (double)__shfl_up_sync(0xFFFFFFFF, (s64)words[i] << 20, 1);
}

/* launches
launch("shuffles", 2, 64, integers("i4", 128), doubles(128), zeros("i4", 128), zeros("f8", 128))
*/
