// Matrix product in OpenMP C, in the loop order that walks through memory in order.
#include "common.h"

void matmul(const float *restrict a, const float *restrict b, float *restrict c, int rows, int columns, int inner) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      c[i * columns + j] = 0.0f;
    for (int k = 0; k < inner; ++k) {
      float factor = a[i * inner + k];
      SIMD for (int j = 0; j < columns; ++j) c[i * columns + j] += factor * b[k * columns + j];
    }
  }
}
