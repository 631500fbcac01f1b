// Messages between blocks by loads that acquire and stores that release.
#include "program.h"

#ifdef __CUDACC__
__device__ void storeRelease(int *to, int value) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" : : "l"(to), "r"(value) : "memory");
}
__device__ int loadAcquire(const int *from) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ int addAcquireRelease(int *to, int value) {
  int old;
  asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], %2;" : "=r"(old) : "l"(to), "r"(value) : "memory");
  return old;
}
__device__ void addRelease(int *to, int value) {
  asm volatile("red.release.gpu.global.add.s32 [%0], %1;" : : "l"(to), "r"(value) : "memory");
}
__device__ void storeRelaxed(int *to, int value) {
  asm volatile("st.relaxed.gpu.global.s32 [%0], %1; fence.acq_rel.gpu;" : : "l"(to), "r"(value) : "memory");
}
#else
static void storeRelease(int *to, int value) { *to = value; }
static int loadAcquire(const int *from) {
  if (*from == 0)
    host::yield();
  return *from;
}
static int addAcquireRelease(int *to, int value) { return atomicAdd(to, value); }
static void addRelease(int *to, int value) { *to += value; }
static void storeRelaxed(int *to, int value) { *to = value; }
#endif

/// Block b waits for block b - 1, and hands on the sum.
KERNEL void chain(int *flags, int *values) {
  if (threadIdx.x == 0) {
    if (blockIdx.x > 0)
      while (loadAcquire(&flags[blockIdx.x - 1]) == 0) {
      }
    values[blockIdx.x] = blockIdx.x + (blockIdx.x ? values[blockIdx.x - 1] : 0);
    storeRelease(&flags[blockIdx.x], 1);
  }
}
/// The last to come adds up.
KERNEL void last_arrival(int *count, int *values, int *sum, int *relaxed) {
  values[threadNumber()] = threadNumber() * 3;
  storeRelaxed(&relaxed[threadNumber()], 5);
  if (addAcquireRelease(count, 1) == gridDim.x * blockDim.x - 1)
    for (int i = 0; i < gridDim.x * blockDim.x; ++i)
      *sum += values[i];
  addRelease(count + 1, 2);
}

/* launches
launch("chain", 6, 32, zeros("i4", 6), zeros("i4", 6))
launch("last_arrival", 3, 10, zeros("i4", 2), zeros("i4", 30), zeros("i4", 1), zeros("i4", 30))
*/
