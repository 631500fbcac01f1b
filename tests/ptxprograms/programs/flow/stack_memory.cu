// Memory of a function whose size is known only when it is called.
#include "program.h"
#ifndef __CUDACC_RTC__
#include <alloca.h>
#endif

static __device__ __noinline__ int sumOfSquares(int n) {
#ifdef __CUDACC_RTC__ // has no alloca
  int values[8];
#else
  int *values = (int *)alloca(n * sizeof(int));
#endif
  for (int i = 0; i < n; ++i)
    values[i] = i * i;
  int sum = 0;
  for (int i = n; i-- > 0;)
    sum = sum * 3 + values[i];
  return sum;
}

KERNEL void stack_memory(int *out) {
  const int i = threadNumber();
  out[i] = sumOfSquares(i % 7 + 1) + sumOfSquares(3);
}

/* launches
launch("stack_memory", 2, 32, zeros("i4", 64))
*/
