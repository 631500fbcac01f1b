// A sum in OpenMP C.
#include "common.h"

void reduce(const float *restrict values, float *restrict total, int n) {
  float sum = 0.0f;
  PARALLEL_SUM(sum)
  for (int i = 0; i < n; ++i)
    sum += values[i];
  *total = sum;
}
