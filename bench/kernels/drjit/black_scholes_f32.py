# Black-Scholes in Dr.Jit, single precision.
import drjit as dr


def cumulative_normal(d):
    k = 1.0 / (1.0 + 0.2316419 * dr.abs(d))
    tail = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    result = 0.39894228040143267793994605993438 * dr.exp(-0.5 * d * d) * tail
    return dr.select(d > 0.0, 1.0 - result, result)


def black_scholes_f32(price, strike, years, rate, volatility):
    root = dr.sqrt(years)
    growth = rate + 0.5 * volatility * volatility
    d1 = (dr.log(price / strike) + growth * years) / (volatility * root)
    d2 = d1 - volatility * root
    cdf1 = cumulative_normal(d1)
    cdf2 = cumulative_normal(d2)
    discounted = strike * dr.exp(-rate * years)
    call = price * cdf1 - discounted * cdf2
    put = discounted * (1.0 - cdf2) - price * (1.0 - cdf1)
    return call, put
