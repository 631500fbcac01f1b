// Loads and stores that say how long a line is wanted, and prefetches, by instruction.
#include "program.h"

#ifdef __CUDACC__
__device__ int loadOnce(const int *from) {
  int value;
  asm volatile("ld.global.L1::evict_first.L2::128B.s32 %0, [%1];" : "=r"(value) : "l"(from));
  return value;
}
__device__ int loadReadOnly(const int *from) {
  int value;
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.s32 %0, [%1];" : "=r"(value) : "l"(from));
  return value;
}
__device__ void storeOnce(int *to, int value) {
  asm volatile("st.global.L1::no_allocate.s32 [%0], %1;" : : "l"(to), "r"(value) : "memory");
}
__device__ void fetch(const int *from) {
  asm volatile("prefetch.global.L2 [%0]; prefetchu.L1 [%0]; prefetch.global.L2::evict_last [%0];" : : "l"(from));
}
#else
static int loadOnce(const int *from) { return *from; }
static int loadReadOnly(const int *from) { return *from; }
static void storeOnce(int *to, int value) { *to = value; }
static void fetch(const int *) {}
#endif

KERNEL void eviction(const int *in, int *out) {
  const int i = threadNumber();
  fetch(in + i);
  storeOnce(out + i, loadOnce(in + i) * 2 + loadReadOnly(in + i + 1));
}

/* launches
needs(80)
launch("eviction", 2, 32, integers("i4", 65, -10**6, 10**6), zeros("i4", 64))
*/
