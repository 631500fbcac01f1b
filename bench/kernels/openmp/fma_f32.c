// The peak of multiply-adds, single precision: n of them on each core, in independent chains.
#include "stream.h"

void fma_f32(float *restrict out, int n) {
  float all = 0;
#pragma omp parallel reduction(+ : all)
  {
    Floats sums[12], factor, step;
    for (int lane = 0; lane < 16; ++lane) {
      factor[lane] = out[0] + (float)0.5;
      step[lane] = out[0] + (float)lane;
    }
    for (int k = 0; k < 12; ++k)
      sums[k] = step * (float)k;
    for (int i = 0; i < n / (12 * 16); ++i)
#pragma clang loop unroll(full)
      for (int k = 0; k < 12; ++k)
        sums[k] = sums[k] * factor + step;
    for (int k = 0; k < 12; ++k)
      for (int lane = 0; lane < 16; ++lane)
        all += sums[k][lane];
  }
  out[1] = all;
}
