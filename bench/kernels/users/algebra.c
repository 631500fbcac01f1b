// Small systems and small sets of points in OpenMP C.
#include "common.h"
#include <float.h>
#include <math.h>

enum { N = 32, NEAREST = 4 };

void inverse4(const double *restrict matrices, double *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    double a[4][8];
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) {
        a[r][c] = matrices[16 * i + 4 * r + c];
        a[r][c + 4] = r == c;
      }
    for (int p = 0; p < 4; ++p) {
      double scale = 1.0 / a[p][p];
      for (int c = 0; c < 8; ++c)
        a[p][c] *= scale;
      for (int r = 0; r < 4; ++r)
        if (r != p) {
          double factor = a[r][p];
          for (int c = 0; c < 8; ++c)
            a[r][c] -= factor * a[p][c];
        }
    }
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c)
        out[16 * i + 4 * r + c] = a[r][c + 4];
  }
}

void tridiagonal(const double *restrict lower, const double *restrict diagonal, const double *restrict upper,
                 const double *restrict right, double *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    double c[N], d[N];
    c[0] = upper[i] / diagonal[i];
    d[0] = right[i] / diagonal[i];
    for (int k = 1; k < N; ++k) {
      double scale = 1.0 / (diagonal[k * n + i] - lower[k * n + i] * c[k - 1]);
      c[k] = upper[k * n + i] * scale;
      d[k] = (right[k * n + i] - lower[k * n + i] * d[k - 1]) * scale;
    }
    out[(N - 1) * n + i] = d[N - 1];
    for (int k = N - 2; k >= 0; --k) {
      d[k] -= c[k] * d[k + 1];
      out[k * n + i] = d[k];
    }
  }
}

void determinant3(const double *restrict matrices, double *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    const double *m = matrices + 9 * i;
    out[i] =
        m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
  }
}

void eigenvalues3(const double *restrict matrices, double *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    const double *m = matrices + 6 * i;
    double a = m[0], b = m[1], c = m[2], d = m[3], e = m[4], f = m[5];
    double mean = (a + d + f) / 3.0;
    double off = b * b + c * c + e * e;
    double p = sqrt(((a - mean) * (a - mean) + (d - mean) * (d - mean) + (f - mean) * (f - mean) + 2.0 * off) / 6.0);
    a = (a - mean) / p;
    d = (d - mean) / p;
    f = (f - mean) / p;
    b /= p;
    c /= p;
    e /= p;
    double half = (a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)) / 2.0;
    double angle = acos(fmin(fmax(half, -1.0), 1.0)) / 3.0;
    double largest = mean + 2.0 * p * cos(angle);
    double smallest = mean + 2.0 * p * cos(angle + 2.0 * M_PI / 3.0);
    out[3 * i] = smallest;
    out[3 * i + 1] = 3.0 * mean - largest - smallest;
    out[3 * i + 2] = largest;
  }
}

void nearest4(const float *restrict queries, const float *restrict points, int *restrict out, int n, int count) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float best[NEAREST];
    int which[NEAREST];
    for (int k = 0; k < NEAREST; ++k) {
      best[k] = FLT_MAX;
      which[k] = -1;
    }
    for (int j = 0; j < count; ++j) {
      float dx = queries[2 * i] - points[2 * j], dy = queries[2 * i + 1] - points[2 * j + 1];
      float d = dx * dx + dy * dy;
      if (d < best[NEAREST - 1]) {
        int k = NEAREST - 1;
        for (; k > 0 && best[k - 1] > d; --k) {
          best[k] = best[k - 1];
          which[k] = which[k - 1];
        }
        best[k] = d;
        which[k] = j;
      }
    }
    for (int k = 0; k < NEAREST; ++k)
      out[NEAREST * i + k] = which[k];
  }
}

void kmeans_assign(const float *restrict points, const float *restrict centres, int *restrict labels, int n, int axes,
                   int count) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int nearest = 0;
    float least = FLT_MAX;
    for (int k = 0; k < count; ++k) {
      float d = 0.0f;
      SIMD_SUM(d)
      for (int axis = 0; axis < axes; ++axis) {
        float away = points[i * axes + axis] - centres[k * axes + axis];
        d += away * away;
      }
      if (d < least) {
        least = d;
        nearest = k;
      }
    }
    labels[i] = nearest;
  }
}
