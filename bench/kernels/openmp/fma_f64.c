// The peak of multiply-adds, double precision: n of them on each core, in independent chains.
#include "stream.h"

void fma_f64(double *restrict out, int n) {
  double all = 0;
#pragma omp parallel reduction(+ : all)
  {
    Doubles sums[12], factor, step;
    for (int lane = 0; lane < 8; ++lane) {
      factor[lane] = out[0] + (double)0.5;
      step[lane] = out[0] + (double)lane;
    }
    for (int k = 0; k < 12; ++k)
      sums[k] = step * (double)k;
    for (int i = 0; i < n / (12 * 8); ++i)
#pragma clang loop unroll(full)
      for (int k = 0; k < 12; ++k)
        sums[k] = sums[k] * factor + step;
    for (int k = 0; k < 12; ++k)
      for (int lane = 0; lane < 8; ++lane)
        all += sums[k][lane];
  }
  out[1] = all;
}
