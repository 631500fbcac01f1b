// First programs in OpenMP C.
#include "common.h"

void add_ij(const float *restrict a, const float *restrict b, float *restrict out, int height, int width) {
#pragma omp parallel for
  for (int i = 0; i < height; ++i)
    SIMD for (int j = 0; j < width; ++j) out[i * width + j] = a[i * width + j] + b[i * width + j];
}

void jacobi_ij(const double *restrict old, double *restrict new, int height, int width) {
#pragma omp parallel for
  for (int i = 1; i < height - 1; ++i)
    SIMD for (int j = 1; j < width - 1; ++j) {
      int at = i * width + j;
      new[at] = 0.25 * (old[at - width] + old[at + width] + old[at - 1] + old[at + 1]);
    }
}

void jacobi_yx(const double *restrict old, double *restrict new, int height, int width) {
#pragma omp parallel for
  for (int i = 1; i < height - 1; ++i)
    SIMD for (int j = 1; j < width - 1; ++j) {
      int at = i * width + j;
      new[at] = 0.25 * (old[at - width] + old[at + width] + old[at - 1] + old[at + 1]);
    }
}

void blend_fortran(float weight, const float *restrict a, const float *restrict b, float *restrict out, int height,
                   int width) {
#pragma omp parallel for
  for (int j = 0; j < width; ++j)
    SIMD for (int i = 0; i < height; ++i) out[j * height + i] =
        weight * a[j * height + i] + (1 - weight) * b[j * height + i];
}

void wave_ijk(float speed, const float *restrict now, const float *restrict before, float *restrict after, int depth,
              int height, int width) {
  int row = width, layer = height * width;
#pragma omp parallel for
  for (int i = 1; i < depth - 1; ++i)
    for (int j = 1; j < height - 1; ++j)
      SIMD for (int k = 1; k < width - 1; ++k) {
        int at = i * layer + j * row + k;
        float around = now[at - layer] + now[at + layer] + now[at - row] + now[at + row] + now[at - 1] + now[at + 1];
        after[at] = 2 * now[at] - before[at] + speed * (around - 6 * now[at]);
      }
}

void blur_flat(int height, int width, const float *restrict image, float *restrict out) {
#pragma omp parallel for
  for (int y = 0; y < height; ++y)
    SIMD for (int x = 0; x < width; ++x) {
      int i = y * width + x;
      if (0 < x && x < width - 1 && 0 < y && y < height - 1)
        out[i] = (image[i - 1] + image[i + 1] + image[i - width] + image[i + width] + image[i]) / 5;
      else
        out[i] = image[i];
    }
}

static void multiply(const float *restrict a, const float *restrict b, float *restrict c, int rows, int columns,
                     int depth) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      c[i * columns + j] = 0;
    for (int k = 0; k < depth; ++k)
      SIMD for (int j = 0; j < columns; ++j) c[i * columns + j] += a[i * depth + k] * b[k * columns + j];
  }
}

void matmul_ij(const float *restrict a, const float *restrict b, float *restrict c, int rows, int columns, int depth) {
  multiply(a, b, c, rows, columns, depth);
}

void matmul_yx(const float *restrict a, const float *restrict b, float *restrict c, int rows, int columns, int depth) {
  multiply(a, b, c, rows, columns, depth);
}

void matmul_tiles_ij(const float *restrict a, const float *restrict b, float *restrict c, int rows, int columns,
                     int depth) {
  multiply(a, b, c, rows, columns, depth);
}

void total_of_rows(const float *restrict a, float *restrict out, int rows, int columns) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    float total = 0;
    SIMD_SUM(total)
    for (int j = 0; j < columns; ++j)
      total += a[i * columns + j];
    out[i] = total;
  }
}

// In the order of memory; each thread has its own sums.
void total_of_columns(const float *restrict a, float *restrict out, int rows, int columns) {
  for (int j = 0; j < columns; ++j)
    out[j] = 0;
#pragma omp parallel for reduction(+ : out[ : columns])
  for (int i = 0; i < rows; ++i)
    SIMD for (int j = 0; j < columns; ++j) out[j] += a[i * columns + j];
}

void scale_chunks(float factor, int chunk, const float *restrict a, float *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i)
    out[i] = factor * a[i];
}

void count_bytes(const unsigned char *restrict values, int *restrict counts, int n) {
#pragma omp parallel for reduction(+ : counts[ : 256])
  for (int i = 0; i < n; ++i)
    ++counts[values[i]];
}

void count_in_bins(float low, float high, const float *restrict values, int *restrict counts, int n, int bins) {
  float width = (high - low) / bins;
#pragma omp parallel for reduction(+ : counts[ : bins])
  for (int i = 0; i < n; ++i) {
    int bin = (int)((values[i] - low) / width);
    if (0 <= bin && bin < bins)
      ++counts[bin];
  }
}

void count_bytes_shared(const unsigned char *restrict values, int *restrict counts, int n) {
#pragma omp parallel for reduction(+ : counts[ : 256])
  for (int i = 0; i < n; ++i)
    ++counts[values[i]];
}

void escape_ij(double real, double imaginary, double step, int most, int *restrict out, int height, int width) {
#pragma omp parallel for schedule(dynamic, 8)
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) {
      double cr = real + j * step, ci = imaginary + i * step, zr = 0, zi = 0;
      int n = 0;
      for (; n < most; ++n) {
        double next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
        if (zr * zr + zi * zi > 4)
          break;
      }
      out[i * width + j] = n;
    }
}
