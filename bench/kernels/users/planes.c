// Arrays of two to four axes in OpenMP C: loops in the order of memory.
#include "common.h"
#include <math.h>

void divergence_fortran(const double *restrict u, const double *restrict v, const double *restrict w,
                        double *restrict out, int nx, int ny, int nz) {
  int line = nx, plane = nx * ny;
#pragma omp parallel for
  for (int k = 1; k < nz - 1; ++k)
    for (int j = 1; j < ny - 1; ++j)
      SIMD for (int i = 1; i < nx - 1; ++i) {
        int at = k * plane + j * line + i;
        double dx = (u[at + 1] - u[at - 1]) / 2, dy = (v[at + line] - v[at - line]) / 2;
        out[at] = dx + dy + (w[at + plane] - w[at - plane]) / 2;
      }
}

void laplace_fortran_kji(const double *restrict f, double *restrict out, int nx, int ny, int nz) {
  int line = nx, plane = nx * ny;
#pragma omp parallel for
  for (int k = 1; k < nz - 1; ++k)
    for (int j = 1; j < ny - 1; ++j)
      SIMD for (int i = 1; i < nx - 1; ++i) {
        int at = k * plane + j * line + i;
        out[at] = f[at - 1] + f[at + 1] + f[at - line] + f[at + line] + f[at - plane] + f[at + plane] - 6.0 * f[at];
      }
}

void transpose_planes(const float *restrict a, float *restrict out, int depth, int height, int width) {
#pragma omp parallel for
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        out[(z * width + x) * height + y] = a[(z * height + y) * width + x];
}

void ycbcr_pixels(const unsigned char *restrict rgb, unsigned char *restrict out, int height, int width) {
  PARALLEL_FOR
  for (int i = 0; i < height * width; ++i) {
    float r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
    float luma = 0.299f * r + 0.587f * g + 0.114f * b;
    out[3 * i] = (int)(luma + 0.5f);
    out[3 * i + 1] = (int)(0.564f * (b - luma) + 128.5f);
    out[3 * i + 2] = (int)(0.713f * (r - luma) + 128.5f);
  }
}

void ycbcr_planes(const unsigned char *restrict rgb, unsigned char *restrict out, int height, int width) {
  int size = height * width;
  PARALLEL_FOR
  for (int i = 0; i < size; ++i) {
    int r = rgb[i], g = rgb[i + size], b = rgb[i + 2 * size];
    out[i] = (77 * r + 150 * g + 29 * b) >> 8;
    out[i + size] = ((-43 * r - 85 * g + 128 * b) >> 8) + 128;
    out[i + 2 * size] = ((128 * r - 107 * g - 21 * b) >> 8) + 128;
  }
}

void alpha_blend(const unsigned char *restrict over, const unsigned char *restrict under, unsigned char *restrict out,
                 int height, int width) {
  PARALLEL_FOR
  for (int i = 0; i < height * width; ++i) {
    int alpha = over[4 * i + 3];
    for (int c = 0; c < 3; ++c)
      out[3 * i + c] = (alpha * over[4 * i + c] + (255 - alpha) * under[3 * i + c] + 127) / 255;
  }
}

void resize_bilinear(const unsigned char *restrict image, unsigned char *restrict out, int height, int width,
                     int channels, int rows, int columns) {
#pragma omp parallel for
  for (int y = 0; y < rows; ++y) {
    float v = (float)y * (height - 1) / (rows - 1);
    int y0 = (int)v, y1 = y0 + 1 < height ? y0 + 1 : height - 1;
    float fy = v - y0;
    for (int x = 0; x < columns; ++x) {
      float u = (float)x * (width - 1) / (columns - 1);
      int x0 = (int)u, x1 = x0 + 1 < width ? x0 + 1 : width - 1;
      float fx = u - x0;
      for (int c = 0; c < channels; ++c) {
        float top = image[(y0 * width + x0) * channels + c] * (1 - fx) + image[(y0 * width + x1) * channels + c] * fx;
        float bottom =
            image[(y1 * width + x0) * channels + c] * (1 - fx) + image[(y1 * width + x1) * channels + c] * fx;
        out[(y * columns + x) * channels + c] = top * (1 - fy) + bottom * fy;
      }
    }
  }
}

void median3(const unsigned char *restrict image, unsigned char *restrict out, int height, int width) {
#pragma omp parallel for
  for (int y = 1; y < height - 1; ++y)
    for (int x = 1; x < width - 1; ++x) {
      int window[9], n = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          int value = image[(y + dy) * width + x + dx], at = n++;
          for (; at > 0 && window[at - 1] > value; --at)
            window[at] = window[at - 1];
          window[at] = value;
        }
      out[y * width + x] = window[4];
    }
}

void erode3(const unsigned char *restrict image, unsigned char *restrict out, int height, int width) {
#pragma omp parallel for
  for (int y = 0; y < height; ++y)
    SIMD for (int x = 0; x < width; ++x) {
      int least = 255;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width) {
            int value = image[(y + dy) * width + x + dx];
            least = value < least ? value : least;
          }
      out[y * width + x] = least;
    }
}

void max_pool_flat(int height, int width, const float *restrict x, float *restrict out, int planes) {
  int rows = height / 2, columns = width / 2;
#pragma omp parallel for
  for (int plane = 0; plane < planes; ++plane)
    for (int row = 0; row < rows; ++row)
      SIMD for (int column = 0; column < columns; ++column) {
        const float *at = x + (plane * height + 2 * row) * width + 2 * column;
        out[(plane * rows + row) * columns + column] = fmaxf(fmaxf(at[0], at[1]), fmaxf(at[width], at[width + 1]));
      }
}

void convolve3d_flat(int depth, int height, int width, const float *restrict weights, const float *restrict x,
                     float *restrict out) {
#pragma omp parallel for
  for (int layer = 0; layer < depth; ++layer)
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        float total = 0.0f;
        if (column > 0 && column < width - 1 && row > 0 && row < height - 1 && layer > 0 && layer < depth - 1)
          for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
              for (int c = 0; c < 3; ++c)
                total +=
                    weights[(a * 3 + b) * 3 + c] * x[((layer + a - 1) * height + row + b - 1) * width + column + c - 1];
        out[(layer * height + row) * width + column] = total;
      }
}
