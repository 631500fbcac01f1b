// Copies from global to shared memory that go on while the thread does.
#include "program.h"

#ifdef __CUDACC__
template <int bytes> __device__ void startCopy(void *to, const void *from, int valid) {
  const u32 shared = __cvta_generic_to_shared(to);
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(shared), "l"(from), "r"(valid) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 :
                 : "r"(shared), "l"(from), "n"(bytes), "r"(valid)
                 : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int left> __device__ void waitFor() { asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory"); }
__device__ void waitForAll() { asm volatile("cp.async.wait_all;" ::: "memory"); }
#else
template <int bytes> static void startCopy(void *to, const void *from, int valid) {
  memset(to, 0, bytes);
  memcpy(to, from, valid);
}
static void commit() {}
template <int left> static void waitFor() {}
static void waitForAll() {}
#endif

KERNEL void async_copy(const int4 *in, int4 *out, int tiles) {
  __shared__ int4 buffer[2][32];
  const int lane = threadIdx.x;
  startCopy<16>(&buffer[0][lane], &in[lane], 16);
  commit();
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles)
      startCopy<16>(&buffer[(tile + 1) & 1][lane], &in[(tile + 1) * 32 + lane], 16);
    commit();
    waitFor<1>();
    __syncthreads();
    int4 value = buffer[tile & 1][31 - lane];
    value.x += tile;
    out[tile * 32 + lane] = value;
    __syncthreads();
  }
}
KERNEL void async_parts(const int *in, int *out) {
  __shared__ int words[64];
  startCopy<4>(&words[threadIdx.x], &in[threadIdx.x], threadIdx.x % 3 == 0 ? 0 : 4);
  if (threadIdx.x < 16)
    startCopy<8>(&words[32 + 2 * threadIdx.x], &in[32 + 2 * threadIdx.x], threadIdx.x % 9);
  waitForAll();
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x] + words[63 - threadIdx.x];
}

/* launches
needs(80)
launch("async_copy", 1, 32, integers("i4", 512, -10**6, 10**6), zeros("i4", 512), 4)
launch("async_parts", 1, 32, integers("i4", 64, -10**6, 10**6), zeros("i4", 32))
*/
