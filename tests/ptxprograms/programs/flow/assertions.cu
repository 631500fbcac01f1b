// Assertions that hold, and ends by trap that no thread reaches.
#undef NDEBUG
#include "program.h"
#ifndef __CUDACC_RTC__
#include <cassert>
#endif
#ifndef __CUDACC__
static void __trap() { std::abort(); }
#endif

KERNEL void assertions(const int *in, int *out, int n) {
  const int i = threadNumber();
  assert(n > 0);
  if (i >= n)
    return;
  assert(in[i] >= 0 && "numbers must not be negative");
  if (in[i] > 1000)
    __trap();
  out[i] = in[i] * 2;
}

/* launches
launch("assertions", 2, 64, integers("i4", 100, 0, 1000), zeros("i4", 100), 100)
*/
