// Softmax of rows: largest, sum and quotient within a block.
#include "program.h"

#ifdef __CUDACC_RTC__
#define INFINITY __int_as_float(0x7F800000)
#endif

template <class F> __device__ float combined(float value, F f, float *cells) {
  for (int by = 16; by > 0; by /= 2)
    value = f(value, __shfl_xor_sync(0xFFFFFFFF, value, by));
  if (threadIdx.x % 32 == 0)
    cells[threadIdx.x / 32] = value;
  __syncthreads();
  value = cells[0];
  for (int warp = 1; warp < blockDim.x / 32; ++warp)
    value = f(value, cells[warp]);
  __syncthreads();
  return value;
}

KERNEL void softmax(const float *in, float *out, int n) {
  __shared__ float cells[8];
  const float *row = in + blockIdx.x * n;
  float largest = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    largest = fmaxf(largest, row[i]);
  largest = combined(largest, [](float a, float b) { return fmaxf(a, b); }, cells);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += expf(row[i] - largest);
  sum = combined(sum, [](float a, float b) { return a + b; }, cells);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[blockIdx.x * n + i] = expf(row[i] - largest) / sum;
}

/* launches
launch("softmax", 3, 64, floats(300), zeros("f4", 300, ulps=12), 100)
fast(1e-5)
*/
