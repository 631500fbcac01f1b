// A stencil of seven points that walks along one axis with values in registers.
#include "program.h"

KERNEL void stencil_3d(const float *in, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= n - 1 || y >= n - 1)
    return;
  const int layer = n * n;
  int at = y * n + x;
  float below = in[at], middle = in[at + layer];
  for (int z = 1; z < n - 1; ++z) {
    at += layer;
    const float above = in[at + layer];
    out[at] = 0.4f * middle + 0.1f * (below + above + in[at - 1] + in[at + 1] + in[at - n] + in[at + n]);
    below = middle, middle = above;
  }
}

/* launches
launch("stencil_3d", (2, 2), (8, 8), floats(14 ** 3), zeros("f4", 14 ** 3), 14)
*/
