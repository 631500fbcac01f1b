// The mandelbrot set in OpenMP C; rows differ in cost, so they are scheduled dynamically.
#include "common.h"

static inline int escape(float real, float imag, int limit) {
  float x = 0.0f, y = 0.0f;
  for (int step = 0; step < limit; ++step) {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f)
      return step;
    y = (x + x) * y + imag;
    x = xx - yy + real;
  }
  return limit;
}

void mandelbrot(float left, float top, float pixel, int limit, int *restrict steps, int height, int width) {
#pragma omp parallel for schedule(dynamic, 8)
  for (int row = 0; row < height; ++row) {
    float imag = top - (float)row * pixel;
    SIMD for (int column = 0; column < width; ++column) steps[row * width + column] =
        escape(left + (float)column * pixel, imag, limit);
  }
}
