// Multiplies matrices by tiles of 16 x 16 in shared memory.
#include "program.h"

KERNEL void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float left[16][16], right[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    left[threadIdx.y][threadIdx.x] = row < n && tile + threadIdx.x < n ? a[row * n + tile + threadIdx.x] : 0;
    right[threadIdx.y][threadIdx.x] = column < n && tile + threadIdx.y < n ? b[(tile + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum = fmaf(left[threadIdx.y][k], right[k][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < n && column < n)
    c[row * n + column] = sum;
}

/* launches
launch("matmul", (2, 2), (16, 16), floats(24 * 24), floats(24 * 24), zeros("f4", 24 * 24), 24)
*/
