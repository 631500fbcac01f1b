// Images in OpenMP C: loops over rows and columns.
#include "common.h"
#include <complex.h>
#include <math.h>

static inline int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

void blur5(const float *restrict image, float *restrict out, int height, int width) {
#pragma omp parallel for
  for (int y = 0; y < height; ++y)
    SIMD for (int x = 0; x < width; ++x) {
      float total = 0.0f;
      for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx)
          total += image[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)];
      out[y * width + x] = total / 25.0f;
    }
}

void sobel(const unsigned char *restrict image, unsigned char *restrict out, int height, int width) {
#pragma omp parallel for
  for (int y = 1; y < height - 1; ++y)
    SIMD for (int x = 1; x < width - 1; ++x) {
      const unsigned char *above = image + (y - 1) * width, *here = above + width, *below = here + width;
      int gx = above[x + 1] + 2 * here[x + 1] + below[x + 1] - above[x - 1] - 2 * here[x - 1] - below[x - 1];
      int gy = below[x - 1] + 2 * below[x] + below[x + 1] - above[x - 1] - 2 * above[x] - above[x + 1];
      int length = (int)sqrt(gx * gx + gy * gy);
      out[y * width + x] = length < 255 ? length : 255;
    }
}

void grey(const unsigned char *restrict rgb, unsigned char *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i)
    out[i] = 0.299 * rgb[3 * i] + 0.587 * rgb[3 * i + 1] + 0.114 * rgb[3 * i + 2];
}

void rotate(double cosine, double sine, const float *restrict image, float *restrict out, int height, int width) {
#pragma omp parallel for
  for (int y = 0; y < height; ++y)
    SIMD for (int x = 0; x < width; ++x) {
      double dx = x - width / 2.0, dy = y - height / 2.0;
      double u = cosine * dx - sine * dy + width / 2.0;
      double v = sine * dx + cosine * dy + height / 2.0;
      int x0 = (int)floor(u), y0 = (int)floor(v);
      if (x0 >= 0 && x0 < width - 1 && y0 >= 0 && y0 < height - 1) {
        double fx = u - x0, fy = v - y0;
        const float *at = image + y0 * width + x0;
        double top = at[0] * (1 - fx) + at[1] * fx;
        double bottom = at[width] * (1 - fx) + at[width + 1] * fx;
        out[y * width + x] = top * (1 - fy) + bottom * fy;
      } else
        out[y * width + x] = 0.0f;
    }
}

void mandelbrot_complex(double left, double top, double pixel, int limit, int *restrict out, int height, int width) {
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < height; ++y)
    SIMD for (int x = 0; x < width; ++x) {
      double complex c = left + x * pixel + I * (top - y * pixel), z = 0.0;
      int count = 0;
      while (count < limit && creal(z) * creal(z) + cimag(z) * cimag(z) < 4.0) {
        z = z * z + c;
        ++count;
      }
      out[y * width + x] = count;
    }
}

static inline float distance(float x, float y, float z) {
  float ball = sqrtf(x * x + y * y + (z - 4.0f) * (z - 4.0f)) - 1.0f;
  float ring = sqrtf(x * x + (z - 4.0f) * (z - 4.0f)) - 1.75f;
  ring = sqrtf(ring * ring + y * y) - 0.25f;
  float floor = y + 1.25f;
  return fminf(fminf(ball, ring), floor);
}

void raymarch(float *restrict out, int height, int width) {
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < height; ++y)
    SIMD for (int x = 0; x < width; ++x) {
      float dx = (x - width * 0.5f) / width, dy = (height * 0.5f - y) / width;
      float length = sqrtf(dx * dx + dy * dy + 1.0f), dz = 1.0f / length;
      dx /= length;
      dy /= length;
      float t = 0.0f;
      for (int step = 0; step < 64; ++step) {
        float d = distance(t * dx, t * dy, t * dz);
        t += d;
        if (d < 0.001f || t > 20.0f)
          break;
      }
      out[y * width + x] = t;
    }
}
