// Clocks go forward, and waiting ends.
#include "program.h"

#ifdef __CUDACC__
/// Waits for each clock to show that time has passed.
static __device__ int waitForClocks() {
  const s64 start = clock64();
  while (clock64() < start + 100) {
  }
  const u32 first = clock();
  __nanosleep(10);
  const u32 passed = clock() - first;
  u64 timer, later;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later));
  while (later == timer);
  u32 multiprocessor, count;
  asm volatile("mov.u32 %0, %%smid; mov.u32 %1, %%nsmid;" : "=r"(multiprocessor), "=r"(count));
  return (passed < 1u << 31) | (multiprocessor < count) << 1 | (later > timer) << 2;
}
#else
static int waitForClocks() { return 7; }
#endif

KERNEL void clocks(int *out) { out[threadNumber()] = waitForClocks(); }

/* launches
launch("clocks", 2, 64, zeros("i4", 128))
*/
