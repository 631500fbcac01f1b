# Black-Scholes in Taichi, double precision.
import taichi as ti

# A different number in every copy, since Taichi caches compiled code by a hash of the program.
SALT = 0

vector = ti.types.ndarray(dtype=ti.f64, ndim=1)


@ti.func
def cumulative_normal(d: ti.f64) -> ti.f64:
    k = 1.0 / (1.0 + ti.f64(0.2316419) * ti.abs(d))
    tail = k * (
        ti.f64(0.319381530)
        + k * (-ti.f64(0.356563782) + k * (ti.f64(1.781477937) + k * (-ti.f64(1.821255978) + k * ti.f64(1.330274429))))
    )
    result = ti.f64(0.39894228040143267793994605993438) * ti.exp(-0.5 * d * d) * tail
    if d > 0.0:
        result = 1.0 - result
    return result


@ti.kernel
def black_scholes_f64(
    price: vector, strike: vector, years: vector, rate: ti.f64, volatility: ti.f64, call: vector, put: vector
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
