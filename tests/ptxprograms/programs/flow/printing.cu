// Text from kernels: all kinds of arguments.
#include "program.h"
#ifndef __CUDACC_RTC__
#include <cstdio>
#endif

struct Point {
  float x, y;
};

KERNEL void printing(const int *in, Point p) {
  const int i = threadNumber();
  if (in[i] > 5)
    printf("thread %d of block %d has %5d, %u, %x and %lld\n", threadIdx.x, blockIdx.x, in[i], 7u * in[i], in[i],
           1ll * in[i] << 33);
  if (i == 0) {
    printf("%s %c %% %.3f %e %g\n", "words", 'c', 1.0 / 3, 12345.678, (double)p.x);
    printf("(%+6.2f|%-8d|%08.3f|%#x)\n", p.y, 42, 2.5, 255);
    printf("no argument\n");
  }
}

/* launches
point = np.array((1.5, -2.25), np.dtype([("x", "f4"), ("y", "f4")], align=True))
launch("printing", 2, 8, integers("i4", 16, 0, 9), point)
*/
