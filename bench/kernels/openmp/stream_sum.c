// The bandwidth of reading.
#include "stream.h"

void stream_sum(const float *restrict x, float *restrict out, int n) {
  const Floats *from = ALIGNED(const Floats, x);
  float total = 0.0f;
#pragma omp parallel reduction(+ : total)
  {
    Floats sums[4] = {{0.0f}};
#pragma omp for
    for (int i = 0; i < n / 64 - 1; ++i)
      for (int k = 0; k < 4; ++k)
        sums[k] += from[4 * i + k];
    Floats sum = sums[0] + sums[1] + sums[2] + sums[3];
    for (int lane = 0; lane < 16; ++lane)
      total += sum[lane];
  }
  out[0] = total;
}
