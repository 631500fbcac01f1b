// Arithmetic in OpenMP C: a sequence, an iteration or a random walk for each element.
#include "common.h"
#include <math.h>
#include <stdint.h>

void collatz(int64_t first, int *restrict out, int count) {
#pragma omp parallel for schedule(dynamic, 256)
  for (int i = 0; i < count; ++i) {
    int64_t n = first + i;
    int steps = 0;
    while (n != 1) {
      n = n % 2 == 0 ? n / 2 : 3 * n + 1;
      ++steps;
    }
    out[i] = steps;
  }
}

void kepler(const double *restrict anomalies, const double *restrict eccentricities, double *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    double m = anomalies[i], e = eccentricities[i], x = m;
    for (int k = 0; k < 20; ++k) {
      double step = (x - e * sin(x) - m) / (1.0 - e * cos(x));
      x -= step;
      if (fabs(step) < 1e-12)
        break;
    }
    out[i] = x;
  }
}

void walk(int64_t seed, int steps, int *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    uint64_t state = (uint64_t)seed + (uint64_t)i * 0x9E3779B97F4A7C15u;
    int x = 0, y = 0;
    for (int k = 0; k < steps; ++k) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      switch (state >> 62) {
      case 0:
        ++x;
        break;
      case 1:
        --x;
        break;
      case 2:
        ++y;
        break;
      default:
        --y;
      }
    }
    out[2 * i] = x;
    out[2 * i + 1] = y;
  }
}

void inside_circle(int64_t seed, int draws, int *restrict out, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    uint32_t state = (uint32_t)(seed + i * 2654435761);
    int hits = 0;
    for (int k = 0; k < draws; ++k) {
      state = state * 1664525u + 1013904223u;
      double x = state / 4294967296.0;
      state = state * 1664525u + 1013904223u;
      double y = state / 4294967296.0;
      if (x * x + y * y < 1.0)
        ++hits;
    }
    out[i] = hits;
  }
}

void divisors(int *restrict out, int n) {
#pragma omp parallel for schedule(dynamic, 256)
  for (int i = 0; i < n; ++i) {
    int count = 0;
    for (int d = 1; d * d <= i; ++d)
      if (i % d == 0)
        count += d * d == i ? 1 : 2;
    out[i] = count;
  }
}

void logistic(const double *restrict r, double *restrict x, int steps, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    double value = x[i];
    for (int k = 0; k < steps; ++k)
      value = r[i] * value * (1.0 - value);
    x[i] = value;
  }
}
