// One function for pointers into all memories; which memory they point into, and their offsets there.
#include "program.h"

#ifndef __CUDACC__
static int __isGlobal(const void *) { return 1; }
static int __isShared(const void *) { return 2; }
static int __isLocal(const void *) { return 3; }
#endif

static __device__ __noinline__ int total(const int *values, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += values[i];
  return sum;
}
static __device__ __noinline__ void fill(int *values, int count, int with) {
  for (int i = 0; i < count; ++i)
    values[i] = with + i;
}
__constant__ int fixed[4] = {5, 6, 7, 8};

#ifdef __CUDACC__
static __device__ int spaceOf(const void *p) { return __isGlobal(p) | __isShared(p) << 1 | __isLocal(p) << 2; }
static __device__ int wayBack(int *p) { return *(int *)__cvta_shared_to_generic(__cvta_generic_to_shared(p)); }
#define SPACES spaceOf(in) + 10 * spaceOf(own) + 100 * spaceOf(local)
#else
static int wayBack(int *p) { return *p; }
#define SPACES 1 + 20 + 400
#endif

KERNEL void generic_pointers(const int *in, int *out) {
  __shared__ int cells[32 * 4];
  int local[6];
  int *own = cells + 4 * threadIdx.x;
  fill(own, 4, threadIdx.x);
  fill(local, 6, in[threadIdx.x]);
  const int *chosen = threadIdx.x % 3 == 0 ? in : threadIdx.x % 3 == 1 ? own : local;
  out[4 * threadIdx.x] = total(chosen, 4) + total(fixed, 4);
  out[4 * threadIdx.x + 1] = total(local, 6) - total(own, 4);
  out[4 * threadIdx.x + 2] = SPACES;
  out[4 * threadIdx.x + 3] = wayBack(own);
}

/* launches
launch("generic_pointers", 1, 32, integers("i4", 32, -99, 99), zeros("i4", 128))
*/
