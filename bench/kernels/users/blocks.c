// What the blocks of ours compute, in OpenMP C: a loop over blocks, without barriers.
#include "common.h"
#include <complex.h>
#include <math.h>

enum { BLOCK = 256, POINTS = 1024 };

void scan_hillis_steele(const float *restrict values, float *restrict out, int n) {
#pragma omp parallel for
  for (int start = 0; start < n; start += BLOCK) {
    float sum = 0.0f;
    for (int i = start; i < n && i < start + BLOCK; ++i) {
      sum += values[i];
      out[i] = sum;
    }
  }
}

void scan_blelloch(const float *restrict values, float *restrict out, int n) {
#pragma omp parallel for
  for (int start = 0; start < n; start += 2 * BLOCK) {
    float sum = 0.0f;
    for (int i = start; i < n && i < start + 2 * BLOCK; ++i) {
      out[i] = sum;
      sum += values[i];
    }
  }
}

void fft1024(const double complex *restrict signals, const double complex *restrict roots, double complex *restrict out,
             int count) {
#pragma omp parallel for
  for (int signal = 0; signal < count; ++signal) {
    const double complex *from = signals + signal * POINTS;
    double complex *data = out + signal * POINTS;
    for (int k = 0; k < POINTS; ++k) {
      int mirrored = 0;
      for (int bit = 0; bit < 10; ++bit)
        mirrored |= ((k >> bit) & 1) << (9 - bit);
      data[mirrored] = from[k];
    }
    for (int half = 1; half < POINTS; half *= 2)
      for (int low = 0; low < POINTS; low += 2 * half)
        SIMD for (int at = 0; at < half; ++at) {
          double complex turned = data[low + at + half] * roots[at * (POINTS / (2 * half))];
          data[low + at + half] = data[low + at] - turned;
          data[low + at] += turned;
        }
  }
}

void norms_of_blocks(const float *restrict values, float *restrict out, int n) {
#pragma omp parallel for
  for (int start = 0; start < n; start += BLOCK) {
    float sum = 0.0f;
    int end = start + BLOCK < n ? start + BLOCK : n;
    SIMD_SUM(sum)
    for (int i = start; i < end; ++i)
      sum += values[i] * values[i];
    out[start / BLOCK] = sqrtf(sum);
  }
}
