// A Fourier transform in shared memory; factors from memory, so that results are exact.
#include "program.h"

KERNEL void fourier(const float2 *in, const float2 *factors, float2 *out, int bits) {
  __shared__ float2 cells[256];
  const int n = 1 << bits, t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x)
    cells[__brev(i) >> (32 - bits)] = in[blockIdx.x * n + i];
  __syncthreads();
  for (int half = 1; half < n; half *= 2) {
    for (int i = t; i < n / 2; i += blockDim.x) {
      const int position = i & (half - 1), low = 2 * (i - position) + position;
      const float2 factor = factors[position * (n / 2 / half)], a = cells[low], b = cells[low + half];
      const float x = b.x * factor.x - b.y * factor.y, y = b.x * factor.y + b.y * factor.x;
      cells[low] = make_float2(a.x + x, a.y + y);
      cells[low + half] = make_float2(a.x - x, a.y - y);
    }
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x)
    out[blockIdx.x * n + i] = cells[i];
}

/* launches
angles = np.exp(-2j * np.pi * np.arange(64) / 128).astype("c8").view("f4")
launch("fourier", 2, 32, floats(512), array(angles), zeros("f4", 512), 7)
*/
