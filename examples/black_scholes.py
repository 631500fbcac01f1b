# European options priced by the Black-Scholes formula, checked against SciPy's normal distribution.
import math

import numpy as np
from treadle import cuda

THREADS = 256
# The normal distribution's cumulative density by Hart's rational approximation (algorithm 5666, as G. West gives it).
UPPER = (
    0.0352624965998911, 0.700383064443688, 6.37396220353165, 33.912866078383,
    112.079291497871, 221.213596169931, 220.206867912376,
)  # fmt: skip
LOWER = (
    0.0883883476483184, 1.75566716318264, 16.064177579207, 86.7807322029461,
    296.564248779674, 637.333633378831, 793.826512519948, 440.413735824752,
)  # fmt: skip


@cuda.jit(device=True)
def normal_cdf(x):
    """The probability of at most x; the error is below 1e-14."""
    size = abs(x)
    density = math.exp(-0.5 * size * size)
    if size < 7.07106781186547:
        upper = UPPER[0]
        for k in range(1, 7):
            upper = upper * size + UPPER[k]
        lower = LOWER[0]
        for k in range(1, 8):
            lower = lower * size + LOWER[k]
        tail = density * upper / lower
    else:
        fraction = size + 1.0 / (size + 2.0 / (size + 3.0 / (size + 4.0 / (size + 0.65))))
        tail = density / (fraction * 2.506628274631)
    return 1.0 - tail if x > 0.0 else tail


@cuda.jit
def price_kernel(spot, strike, years, rate, volatility, call, put):
    i = cuda.grid(1)
    if i >= spot.size:
        return
    spread = volatility * math.sqrt(years[i])
    d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / spread
    d2 = d1 - spread
    paid = strike[i] * math.exp(-rate * years[i])
    call[i] = spot[i] * normal_cdf(d1) - paid * normal_cdf(d2)
    put[i] = paid * normal_cdf(-d2) - spot[i] * normal_cdf(-d1)


def price(spot, strike, years, rate, volatility):
    """Prices of the calls and of the puts; spot, strike and years are float64 arrays of one length."""
    call = np.empty_like(spot)
    put = np.empty_like(spot)
    blocks = (spot.size + THREADS - 1) // THREADS
    price_kernel[blocks, THREADS](spot, strike, years, rate, volatility, call, put)
    return call, put


def price_numpy(spot, strike, years, rate, volatility):
    from scipy.special import ndtr

    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    d2 = d1 - spread
    paid = strike * np.exp(-rate * years)
    return spot * ndtr(d1) - paid * ndtr(d2), paid * ndtr(-d2) - spot * ndtr(-d1)


def make_portfolio(count=1_000_000, seed=1):
    """Spot, strike and years to expiry, then the risk-free rate and the volatility."""
    rng = np.random.default_rng(seed)
    return rng.uniform(5, 300, count), rng.uniform(5, 300, count), rng.uniform(0.05, 5, count), 0.03, 0.25


def main():
    portfolio = make_portfolio()
    call, put = price(*portfolio)
    error = np.abs(np.subtract((call, put), price_numpy(*portfolio))).max()
    print(f"{call.size} options, worth {call.sum() + put.sum():.2f}; largest difference from SciPy {error:.1e}")


if __name__ == "__main__":
    main()
