// Prices of options.
#include "program.h"

static __device__ float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float value = 0.39894228f * expf(-0.5f * d * d) *
                (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - value : value;
}

KERNEL void black_scholes(const float *stock, const float *strike, const float *years, float *calls, float *puts,
                          float rate, float volatility, int n) {
  const int i = threadNumber();
  if (i >= n)
    return;
  const float root = sqrtf(years[i]);
  const float d1 = (logf(stock[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) /
                   (volatility * root);
  const float d2 = d1 - volatility * root, discount = expf(-rate * years[i]);
  calls[i] = stock[i] * normal(d1) - strike[i] * discount * normal(d2);
  puts[i] = strike[i] * discount * (1.0f - normal(d2)) - stock[i] * (1.0f - normal(d1));
}

/* launches
launch("black_scholes", 2, 64, floats(100, 5, 30), floats(100, 1, 100), floats(100, 0.25, 10),
       zeros("f4", 100, within=2e-6), zeros("f4", 100, within=2e-6), f32(0.02), f32(0.3), 100)
fast(1e-5)
*/
