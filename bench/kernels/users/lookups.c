// Tables, searches and counts in OpenMP C.
#include "common.h"

void table256(const unsigned char *restrict values, const float *restrict table, float *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i)
    out[i] = table[values[i]];
}

void recolour(const unsigned char *restrict wanted, const unsigned char *restrict palette,
              const unsigned char *restrict pixels, unsigned char *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i)
    if (wanted[i])
      out[i] = palette[pixels[i]];
}

void searchsorted(const double *restrict keys, const double *restrict values, int *restrict out, int n, int count) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    int low = 0, high = count;
    while (low < high) {
      int middle = (low + high) / 2;
      if (keys[middle] < values[i])
        low = middle + 1;
      else
        high = middle;
    }
    out[i] = low;
  }
}

void interpolate(const double *restrict knots, const double *restrict heights, const double *restrict x,
                 double *restrict out, int n, int count) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    int low = 0, high = count - 1;
    while (high - low > 1) {
      int middle = (low + high) / 2;
      if (x[i] < knots[middle])
        high = middle;
      else
        low = middle;
    }
    double t = (x[i] - knots[low]) / (knots[low + 1] - knots[low]);
    out[i] = heights[low] * (1.0 - t) + heights[low + 1] * t;
  }
}

void count16(const int *restrict kinds, int *restrict counts, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    ++counts[kinds[i]];
  }
}

void deposit(const int *restrict cells, const float *restrict charges, float *restrict density, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    density[cells[i]] += charges[i];
  }
}

// Each thread has its own counts, as the blocks of ours.
void histogram256(const unsigned char *restrict values, int *restrict counts, int n) {
#pragma omp parallel for reduction(+ : counts[ : 256])
  for (int i = 0; i < n; ++i)
    ++counts[values[i]];
}

void compact(float limit, const float *restrict values, float *restrict out, int *restrict count, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (values[i] > limit) {
      int at;
#pragma omp atomic capture
      at = (*count)++;
      out[at] = values[i];
    }
}
