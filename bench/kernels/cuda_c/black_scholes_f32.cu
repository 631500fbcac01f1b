// Black-Scholes in CUDA C, single precision.
__device__ float cumulative_normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float tail = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float result = 0.39894228040143267793994605993438f * expf(-0.5f * d * d) * tail;
  if (d > 0.0f)
    result = 1.0f - result;
  return result;
}

extern "C" __global__ void black_scholes_f32(const float *__restrict__ price, const float *__restrict__ strike,
                                             const float *__restrict__ years, float rate, float volatility,
                                             float *__restrict__ call, float *__restrict__ put, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
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
