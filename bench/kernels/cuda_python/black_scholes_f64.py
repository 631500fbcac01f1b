# Black-Scholes in CUDA Python, double precision: the polynomial for the normal distribution that CUDA's samples use.
import math

from treadle import cuda


@cuda.jit(device=True)
def cumulative_normal(d):
    k = 1.0 / (1.0 + 0.2316419 * math.fabs(d))
    tail = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    result = 0.39894228040143267793994605993438 * math.exp(-0.5 * d * d) * tail
    if d > 0.0:
        result = 1.0 - result
    return result


@cuda.jit
def black_scholes_f64(price, strike, years, rate, volatility, call, put):
    i = cuda.grid(1)
    if i < call.size:
        root = math.sqrt(years[i])
        d1 = (math.log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (volatility * root)
        d2 = d1 - volatility * root
        cdf1 = cumulative_normal(d1)
        cdf2 = cumulative_normal(d2)
        discounted = strike[i] * math.exp(-rate * years[i])
        call[i] = price[i] * cdf1 - discounted * cdf2
        put[i] = discounted * (1.0 - cdf2) - price[i] * (1.0 - cdf1)
