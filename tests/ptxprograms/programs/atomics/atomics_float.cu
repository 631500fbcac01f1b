// Sums of floats and doubles by atomics: of whole numbers, whose order does not matter.
#include "program.h"

KERNEL void atomics_float(const int *in, float *sums, double *wide, int n) {
  __shared__ float own;
  if (threadIdx.x == 0)
    own = 0;
  __syncthreads();
  const int i = threadNumber();
  if (i < n) {
    atomicAdd(&own, (float)in[i]);
    atomicAdd(&sums[in[i] & 3], 0.5f * in[i]);
    atomicAdd(&wide[in[i] & 1], 1.0 / 1024 * in[i]);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(&sums[4], own);
}
/// The maximum of floats, as integers in the right order.
KERNEL void atomic_max_float(const float *in, int *cell) {
  const int bits = __float_as_int(in[threadNumber()]);
  atomicMax(cell, bits >= 0 ? bits : bits ^ 0x7FFFFFFF);
}
/// A product by compare-and-swap.
KERNEL void atomic_product(const float *in, u32 *cell) {
  u32 old = *(volatile u32 *)cell, assumed;
  do {
    assumed = old;
    old = atomicCAS(cell, assumed, __float_as_uint(__uint_as_float(assumed) * in[threadNumber()]));
  } while (assumed != old);
}

/* launches
launch("atomics_float", 3, 64, integers("i4", 190, -1000, 1000), zeros("f4", 5), zeros("f8", 2), 190)
launch("atomic_max_float", 3, 64, floats(192), array([-2**31], "i4"))
launch("atomic_product", 2, 20, array(2.0 ** integers("i4", 40, -2, 2), "f4"), array([0x3F800000], "u4"))
*/
