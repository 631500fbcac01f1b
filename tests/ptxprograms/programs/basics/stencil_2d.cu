// Five-point stencil with a halo in shared memory.
#include "program.h"

KERNEL void stencil_2d(const double *in, double *out, int width, int height) {
  __shared__ double tile[10][18];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const auto at = [&](int i, int j) {
    return in[min(max(j, 0), height - 1) * width + min(max(i, 0), width - 1)];
  };
  tile[threadIdx.y + 1][threadIdx.x + 1] = at(x, y);
  if (threadIdx.x == 0)
    tile[threadIdx.y + 1][0] = at(x - 1, y);
  if (threadIdx.x == 15)
    tile[threadIdx.y + 1][17] = at(x + 1, y);
  if (threadIdx.y == 0)
    tile[0][threadIdx.x + 1] = at(x, y - 1);
  if (threadIdx.y == 7)
    tile[9][threadIdx.x + 1] = at(x, y + 1);
  __syncthreads();
  if (x >= width || y >= height)
    return;
  const double(*t)[18] = &tile[threadIdx.y + 1];
  const int i = threadIdx.x + 1;
  out[y * width + x] = 0.5 * t[0][i] + 0.125 * (t[0][i - 1] + t[0][i + 1] + t[-1][i] + t[1][i]);
}

/* launches
launch("stencil_2d", (3, 4), (16, 8), doubles(37 * 29), zeros("f8", 37 * 29), 37, 29)
*/
