// A transpose in OpenMP C: rows of the result in parallel.
#include "common.h"

void transpose(const float *restrict source, float *restrict target, int rows, int columns) {
#pragma omp parallel for
  for (int y = 0; y < columns; ++y) {
    SIMD for (int x = 0; x < rows; ++x) target[y * rows + x] = source[x * columns + y];
  }
}
