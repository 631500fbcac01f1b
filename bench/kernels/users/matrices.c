// Small matrices in OpenMP C.
#include "common.h"
#include <math.h>

enum { N = 6, M = 5 };

static void products(const float *restrict a, const float *restrict b, float *restrict out, int n) {
#pragma omp parallel for
  for (int m = 0; m < n; ++m)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        float total = 0.0f;
        for (int k = 0; k < 4; ++k)
          total += a[16 * m + 4 * i + k] * b[16 * m + 4 * k + j];
        out[16 * m + 4 * i + j] = total;
      }
}

void product4(const float *restrict a, const float *restrict b, float *restrict out, int n) { products(a, b, out, n); }

void product4_elements(const float *restrict a, const float *restrict b, float *restrict out, int n) {
  products(a, b, out, n);
}

void cholesky6(const double *restrict matrices, double *restrict out, int n) {
#pragma omp parallel for
  for (int m = 0; m < n; ++m) {
    double lower[N][N] = {0};
    for (int i = 0; i < N; ++i)
      for (int j = 0; j <= i; ++j) {
        double total = matrices[(m * N + i) * N + j];
        for (int k = 0; k < j; ++k)
          total -= lower[i][k] * lower[j][k];
        lower[i][j] = i == j ? sqrt(total) : total / lower[j][j];
      }
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        out[(m * N + i) * N + j] = lower[i][j];
  }
}

void jacobi3(const double *restrict matrices, int sweeps, double *restrict out, int n) {
#pragma omp parallel for
  for (int m = 0; m < n; ++m) {
    double a[3][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        a[i][j] = matrices[9 * m + 3 * i + j];
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (int p = 0; p < 2; ++p)
        for (int q = p + 1; q < 3; ++q) {
          if (fabs(a[p][q]) < 1e-15)
            continue;
          double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
          double t = 1.0 / (fabs(theta) + sqrt(theta * theta + 1.0));
          if (theta < 0)
            t = -t;
          double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
          for (int k = 0; k < 3; ++k) {
            double kp = a[k][p], kq = a[k][q];
            a[k][p] = c * kp - s * kq;
            a[k][q] = s * kp + c * kq;
          }
          for (int k = 0; k < 3; ++k) {
            double pk = a[p][k], qk = a[q][k];
            a[p][k] = c * pk - s * qk;
            a[q][k] = s * pk + c * qk;
          }
        }
    for (int i = 0; i < 3; ++i)
      out[3 * m + i] = a[i][i];
  }
}

void solve5(const double *restrict matrices, const double *restrict right, double *restrict out, int n) {
#pragma omp parallel for
  for (int m = 0; m < n; ++m) {
    double a[M][M + 1], *x = out + m * M;
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < M; ++j)
        a[i][j] = matrices[(m * M + i) * M + j];
      a[i][M] = right[m * M + i];
    }
    for (int p = 0; p < M; ++p) {
      int pivot = p;
      for (int i = p + 1; i < M; ++i)
        if (fabs(a[i][p]) > fabs(a[pivot][p]))
          pivot = i;
      if (pivot != p)
        for (int j = p; j <= M; ++j) {
          double kept = a[p][j];
          a[p][j] = a[pivot][j];
          a[pivot][j] = kept;
        }
      for (int i = p + 1; i < M; ++i) {
        double factor = a[i][p] / a[p][p];
        for (int j = p; j <= M; ++j)
          a[i][j] -= factor * a[p][j];
      }
    }
    for (int i = M - 1; i >= 0; --i) {
      double total = a[i][M];
      for (int j = i + 1; j < M; ++j)
        total -= a[i][j] * x[j];
      x[i] = total / a[i][i];
    }
  }
}

void turn_points(const float *restrict quaternions, const float *restrict points, float *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    const float *q = quaternions + 4 * i, *p = points + 3 * i;
    float tx = 2 * (q[2] * p[2] - q[3] * p[1]);
    float ty = 2 * (q[3] * p[0] - q[1] * p[2]);
    float tz = 2 * (q[1] * p[1] - q[2] * p[0]);
    out[3 * i] = p[0] + q[0] * tx + q[2] * tz - q[3] * ty;
    out[3 * i + 1] = p[1] + q[0] * ty + q[3] * tx - q[1] * tz;
    out[3 * i + 2] = p[2] + q[0] * tz + q[1] * ty - q[2] * tx;
  }
}

void fit_lines(const double *restrict x, const double *restrict y, double *restrict out, int rows, int n) {
  double sx = 0.0, sxx = 0.0;
  for (int k = 0; k < n; ++k) {
    sx += x[k];
    sxx += x[k] * x[k];
  }
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    double sy = 0.0, sxy = 0.0;
    for (int k = 0; k < n; ++k) {
      sy += y[i * n + k];
      sxy += x[k] * y[i * n + k];
    }
    double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    out[2 * i] = slope;
    out[2 * i + 1] = (sy - slope * sx) / n;
  }
}

void chebyshev(const double *restrict coefficients, const double *restrict x, double *restrict out, int n, int count) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    double before = 0.0, last = 0.0;
    for (int k = count - 1; k > 0; --k) {
      double next = 2.0 * x[i] * last - before + coefficients[k];
      before = last;
      last = next;
    }
    out[i] = x[i] * last - before + coefficients[0];
  }
}

void outer_covariance(const double *restrict samples, const double *restrict means, double *restrict out, int count,
                      int width) {
#pragma omp parallel for
  for (int b = 0; b < width; ++b) {
    for (int a = 0; a < width; ++a)
      out[b * width + a] = 0.0;
    for (int k = 0; k < count; ++k)
      SIMD for (int a = 0; a < width; ++a) out[b * width + a] +=
          (samples[k * width + a] - means[a]) * (samples[k * width + b] - means[b]);
    for (int a = 0; a < width; ++a)
      out[b * width + a] /= count - 1;
  }
}
