# Black-Scholes in Warp, double precision.
import warp as wp

number = wp.float64
vector = wp.array(dtype=number)


@wp.func
def cumulative_normal(d: number):
    one = number(1.0)
    k = one / (one + number(0.2316419) * wp.abs(d))
    tail = number(-1.821255978) + k * number(1.330274429)
    tail = number(-0.356563782) + k * (number(1.781477937) + k * tail)
    tail = k * (number(0.319381530) + k * tail)
    result = number(0.39894228040143267793994605993438) * wp.exp(number(-0.5) * d * d) * tail
    if d > number(0.0):
        result = one - result
    return result


@wp.kernel
def black_scholes_f64_kernel(
    price: vector, strike: vector, years: vector, rate: number, volatility: number, call: vector, put: vector
):
    i = wp.tid()
    one = number(1.0)
    root = wp.sqrt(years[i])
    growth = rate + number(0.5) * volatility * volatility
    d1 = (wp.log(price[i] / strike[i]) + growth * years[i]) / (volatility * root)
    d2 = d1 - volatility * root
    cdf1 = cumulative_normal(d1)
    cdf2 = cumulative_normal(d2)
    discounted = strike[i] * wp.exp(-rate * years[i])
    call[i] = price[i] * cdf1 - discounted * cdf2
    put[i] = discounted * (one - cdf2) - price[i] * (one - cdf1)


def black_scholes_f64(price, strike, years, rate, volatility, call, put):
    inputs = [price, strike, years, rate, volatility, call, put]
    wp.launch(black_scholes_f64_kernel, dim=call.shape, inputs=inputs)
