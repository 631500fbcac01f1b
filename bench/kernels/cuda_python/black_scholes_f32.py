# Black-Scholes in CUDA Python, single precision: constants are made float32, since Numba's rules would widen to
# float64.
import math

from treadle import cuda, float32


@cuda.jit(device=True)
def cumulative_normal(d):
    one = float32(1.0)
    k = one / (one + float32(0.2316419) * math.fabs(d))
    tail = float32(-1.821255978) + k * float32(1.330274429)
    tail = float32(-0.356563782) + k * (float32(1.781477937) + k * tail)
    tail = k * (float32(0.319381530) + k * tail)
    result = float32(0.39894228040143267793994605993438) * math.exp(float32(-0.5) * d * d) * tail
    if d > float32(0.0):
        result = one - result
    return result


@cuda.jit
def black_scholes_f32(price, strike, years, rate, volatility, call, put):
    i = cuda.grid(1)
    if i < call.size:
        one = float32(1.0)
        root = math.sqrt(years[i])
        growth = rate + float32(0.5) * volatility * volatility
        d1 = (math.log(price[i] / strike[i]) + growth * years[i]) / (volatility * root)
        d2 = d1 - volatility * root
        cdf1 = cumulative_normal(d1)
        cdf2 = cumulative_normal(d2)
        discounted = strike[i] * math.exp(-rate * years[i])
        call[i] = price[i] * cdf1 - discounted * cdf2
        put[i] = discounted * (one - cdf2) - price[i] * (one - cdf1)
