// A convolution with weights in constant memory, in rows and in columns.
#include "program.h"

__constant__ float weights[7] = {0.03125f, 0.109375f, 0.21875f, 0.28125f, 0.21875f, 0.109375f, 0.03125f};

KERNEL void convolve_rows(const float *in, float *out, int width, int height) {
  __shared__ float row[64 + 6];
  const int y = blockIdx.y, first = blockIdx.x * 64;
  for (int i = threadIdx.x; i < 70; i += 64) {
    const int x = first + i - 3;
    row[i] = x >= 0 && x < width ? in[y * width + x] : 0;
  }
  __syncthreads();
  if (first + threadIdx.x >= width)
    return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 7; ++k)
    sum += weights[k] * row[threadIdx.x + k];
  out[y * width + first + threadIdx.x] = sum;
}
KERNEL void convolve_columns(const float *in, float *out, int width, int height) {
  const int x = threadNumber();
  if (x >= width)
    return;
  for (int y = 0; y < height; ++y) {
    float sum = 0;
    for (int k = -3; k <= 3; ++k)
      if (y + k >= 0 && y + k < height)
        sum += weights[k + 3] * in[(y + k) * width + x];
    out[y * width + x] = sum;
  }
}

/* launches
image, middle, result = floats(90 * 12), zeros("f4", 90 * 12), zeros("f4", 90 * 12)
launch("convolve_rows", (2, 12), 64, image, middle, 90, 12)
launch("convolve_columns", 2, 64, middle, result, 90, 12)
*/
