// Black-Scholes in OpenMP C, single precision.
#include "common.h"
#include <math.h>

static inline float cumulative_normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float tail = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float result = 0.39894228040143267793994605993438f * expf(-0.5f * d * d) * tail;
  return d > 0.0f ? 1.0f - result : result;
}

void black_scholes_f32(const float *restrict price, const float *restrict strike, const float *restrict years,
                       float rate, float volatility, float *restrict call, float *restrict put, int n) {
  PARALLEL_FOR
  for (int i = 0; i < n; ++i) {
    float root = sqrtf(years[i]);
    float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    float d2 = d1 - volatility * root;
    float cdf1 = cumulative_normal(d1);
    float cdf2 = cumulative_normal(d2);
    float discounted = strike[i] * expf(-rate * years[i]);
    call[i] = price[i] * cdf1 - discounted * cdf2;
    put[i] = discounted * (1.0f - cdf2) - price[i] * (1.0f - cdf1);
  }
}
