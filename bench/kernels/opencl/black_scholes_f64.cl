// Black-Scholes in OpenCL C, double precision.
double cumulative_normal(double d) {
  double k = 1.0 / (1.0 + 0.2316419 * fabs(d));
  double tail = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  double result = 0.39894228040143267793994605993438 * exp(-0.5 * d * d) * tail;
  if (d > 0.0)
    result = 1.0 - result;
  return result;
}

__kernel void black_scholes_f64(__global const double *restrict price, __global const double *restrict strike,
                                __global const double *restrict years, double rate, double volatility,
                                __global double *restrict call, __global double *restrict put, int n) {
  int i = get_global_id(0);
  if (i < n) {
    double root = sqrt(years[i]);
    double d1 = (log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (volatility * root);
    double d2 = d1 - volatility * root;
    double cdf1 = cumulative_normal(d1);
    double cdf2 = cumulative_normal(d2);
    double discounted = strike[i] * exp(-rate * years[i]);
    call[i] = price[i] * cdf1 - discounted * cdf2;
    put[i] = discounted * (1.0 - cdf2) - price[i] * (1.0 - cdf1);
  }
}
