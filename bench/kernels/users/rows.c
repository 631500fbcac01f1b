// Rows of matrices in OpenMP C.
#include "common.h"
#include <float.h>
#include <math.h>

void spmv(const int *restrict offsets, const int *restrict columns, const double *restrict values,
          const double *restrict x, double *restrict out, int rows) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    double total = 0.0;
    SIMD_SUM(total)
    for (int k = offsets[row]; k < offsets[row + 1]; ++k)
      total += values[k] * x[columns[k]];
    out[row] = total;
  }
}

void jagged_max(const int *restrict offsets, const float *restrict values, float *restrict out, int rows) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    float best = -FLT_MAX;
    for (int k = offsets[row]; k < offsets[row + 1]; ++k)
      best = values[k] > best ? values[k] : best;
    out[row] = best;
  }
}

void gemv(const float *restrict a, const float *restrict x, float *restrict out, int rows, int columns) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    float total = 0.0f;
    SIMD_SUM(total)
    for (int column = 0; column < columns; ++column)
      total += a[row * columns + column] * x[column];
    out[row] = total;
  }
}

void row_scores(const float *restrict a, const float *restrict weights, float *restrict out, int rows, int columns) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    const float *row = a + i * columns;
    float total = 0.0f;
    SIMD_SUM(total)
    for (int k = 0; k < columns; ++k)
      total += row[k] * weights[k];
    out[i] = total;
  }
}

void softmax(const float *restrict a, float *restrict out, int rows, int columns) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    const float *from = a + row * columns;
    float *to = out + row * columns;
    float largest = from[0], total = 0.0f;
    for (int column = 1; column < columns; ++column)
      largest = from[column] > largest ? from[column] : largest;
    for (int column = 0; column < columns; ++column) {
      to[column] = expf(from[column] - largest);
      total += to[column];
    }
    for (int column = 0; column < columns; ++column)
      to[column] /= total;
  }
}

void column_of_rows(float *restrict table, float factor, float *restrict out, int rows, int columns) {
  PARALLEL_FOR
  for (int i = 0; i < rows; ++i) {
    out[i] = factor * table[i * columns + 2] + table[i * columns + 5];
    table[i * columns + 7] = out[i];
  }
}

void horner(const double *restrict coefficients, const double *restrict x, double *restrict out, int polynomials,
            int points, int count) {
#pragma omp parallel for
  for (int j = 0; j < polynomials; ++j)
    SIMD for (int i = 0; i < points; ++i) {
      double value = 0.0;
      for (int k = 0; k < count; ++k)
        value = value * x[i] + coefficients[j * count + k];
      out[j * points + i] = value;
    }
}
