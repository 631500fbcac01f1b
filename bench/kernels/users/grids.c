// Steps on regular grids in OpenMP C.
#include "common.h"

void life(const unsigned char *restrict cells, unsigned char *restrict out, int height, int width) {
#pragma omp parallel for
  for (int y = 0; y < height; ++y)
    SIMD for (int x = 0; x < width; ++x) {
      int alive = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (dx != 0 || dy != 0)
            alive += cells[(y + dy + height) % height * width + (x + dx + width) % width];
      out[y * width + x] = alive == 3 || (alive == 2 && cells[y * width + x] == 1);
    }
}

void heat3d(float centre, float side, const float *restrict old, float *restrict new, int depth, int height,
            int width) {
  int row = width, layer = height * width;
#pragma omp parallel for
  for (int z = 1; z < depth - 1; ++z)
    for (int y = 1; y < height - 1; ++y)
      SIMD for (int x = 1; x < width - 1; ++x) {
        int at = z * layer + y * row + x;
        float around = old[at - 1] + old[at + 1] + old[at - row] + old[at + row] + old[at - layer] + old[at + layer];
        new[at] = centre *old[at] + side *around;
      }
}

void advect(double speed, const double *restrict u, double *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    double left = u[i == 0 ? n - 1 : i - 1], right = u[i == n - 1 ? 0 : i + 1];
    double slope = (right - left) / 2;
    out[i] = u[i] - speed * slope + 0.5 * speed * speed * (right - 2 * u[i] + left);
  }
}

// In the order of memory; each thread has its own sums.
void sum_along_columns(const float *restrict a, double *restrict out, int columns, int rows) {
  for (int column = 0; column < columns; ++column)
    out[column] = 0.0;
#pragma omp parallel for reduction(+ : out[ : columns])
  for (int row = 0; row < rows; ++row)
    SIMD for (int column = 0; column < columns; ++column) out[column] += a[row * columns + column];
}

void red_black(float omega, float *restrict grid, int colour, int height, int width) {
#pragma omp parallel for
  for (int y = 1; y < height - 1; ++y)
    SIMD for (int x = 1 + (y + 1 + colour) % 2; x < width - 1; x += 2) {
      float *at = grid + y * width + x;
      float around = at[-1] + at[1] + at[-width] + at[width];
      *at += omega * (0.25f * around - *at);
    }
}
