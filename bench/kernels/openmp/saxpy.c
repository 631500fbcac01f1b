// saxpy in OpenMP C.
#include "common.h"

void saxpy(float a, const float *restrict x, const float *restrict y, float *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i)
    out[i] = a * x[i] + y[i];
}
