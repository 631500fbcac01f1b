// A pass of a radix sort: counts of digits, prefix sums, and places that keep the order.
#include "program.h"

KERNEL void radix_count(const u32 *keys, u32 *counts, int n, int shift) {
  __shared__ u32 own[16];
  if (threadIdx.x < 16)
    own[threadIdx.x] = 0;
  __syncthreads();
  const int i = threadNumber();
  if (i < n)
    atomicAdd(&own[keys[i] >> shift & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16)
    counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}
KERNEL void radix_scan(u32 *counts, int n) {
  u32 sum = 0;
  for (int i = 0; i < n; ++i) {
    const u32 count = counts[i];
    counts[i] = sum;
    sum += count;
  }
}
KERNEL void radix_scatter(const u32 *keys, u32 *sorted, const u32 *counts, int n, int shift) {
  __shared__ u8 digits[64];
  const int i = threadNumber();
  const u32 key = i < n ? keys[i] : 0, digit = key >> shift & 15;
  digits[threadIdx.x] = i < n ? digit : 255;
  __syncthreads();
  int before = 0;
  for (int k = 0; k < threadIdx.x; ++k)
    before += digits[k] == digit;
  if (i < n)
    sorted[counts[digit * gridDim.x + blockIdx.x] + before] = key;
}

/* launches
a, b, n = integers("u4", 300, 0, 4095), zeros("u4", 300), 300
for shift in (0, 4, 8):
    counts = zeros("u4", 80)
    launch("radix_count", 5, 64, a, counts, n, shift)
    launch("radix_scan", 1, 1, counts, 80)
    launch("radix_scatter", 5, 64, a, b, counts, n, shift)
    a, b = b, a
*/
