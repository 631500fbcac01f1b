# Black-Scholes in Taichi, single precision.
import taichi as ti

# A different number in every copy, since Taichi caches compiled code by a hash of the program.
SALT = 0

vector = ti.types.ndarray(dtype=ti.f32, ndim=1)


@ti.func
def cumulative_normal(d: ti.f32) -> ti.f32:
    k = 1.0 / (1.0 + 0.2316419 * ti.abs(d))
    tail = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    result = 0.39894228040143267793994605993438 * ti.exp(-0.5 * d * d) * tail
    if d > 0.0:
        result = 1.0 - result
    return result


@ti.kernel
def black_scholes_f32(
    price: vector, strike: vector, years: vector, rate: ti.f32, volatility: ti.f32, call: vector, put: vector
):
    for i in range(call.shape[0]):
        root = ti.sqrt(years[i])
        d1 = (ti.log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (volatility * root)
        d2 = d1 - volatility * root
        cdf1 = cumulative_normal(d1)
        cdf2 = cumulative_normal(d2)
        discounted = strike[i] * ti.exp(-rate * years[i])
        call[i + SALT - SALT] = price[i] * cdf1 - discounted * cdf2
        put[i] = discounted * (1.0 - cdf2) - price[i] * (1.0 - cdf1)
