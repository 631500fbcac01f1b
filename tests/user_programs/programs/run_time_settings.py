# Monte-Carlo prices of options: what the kernel needs stands in another module, and is set before the first launch.
import math

import gpu_helpers as settings
import numpy as np
from treadle import cuda
from treadle.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float32

THREADS = 64


@cuda.jit
def price(states, start, rate, sigma, years, payoffs):
    i = cuda.grid(1)
    if i >= payoffs.size:
        return
    h = years / settings.STEPS
    value = start
    low = value
    for _ in range(settings.STEPS):
        normal = xoroshiro128p_normal_float32(states, i)
        value *= math.exp((rate - 0.5 * sigma**2) * h + sigma * math.sqrt(h) * normal)
        low = min(low, value)
    payoff = 0.0
    for k, strike in enumerate(settings.BORDERS):
        if value > strike and low > settings.BARRIER:
            payoff += (value - strike) * settings.WEIGHTS[k]
    payoffs[i] = payoff


@cuda.jit
def replay(states, normals):
    i = cuda.grid(1)
    for k in range(normals.shape[1]):
        normals[i, k] = xoroshiro128p_normal_float32(states, i)


settings.STEPS = 4
settings.BARRIER = 90.0
settings.BORDERS = np.array([100.0, 105.0, 110.0])
settings.WEIGHTS = (1.0, 0.5, np.float64(0.25))

n = 3 * THREADS
payoffs = cuda.device_array(n, np.float64)
price[3, THREADS](create_xoroshiro128p_states(n, seed=7), 100.0, 0.03, 0.2, 1.0, payoffs)
total = cuda.reduce(lambda a, b: a + b)
mean = total(payoffs) / n * math.exp(-0.03)

normals = np.zeros((n, 4), np.float32)
replay[3, THREADS](create_xoroshiro128p_states(n, seed=7), normals)
steps = np.exp((0.03 - 0.02) * 0.25 + 0.2 * 0.5 * normals.astype(np.float64))
paths = 100 * np.cumprod(steps, axis=1)
alive = np.minimum(paths.min(axis=1), 100) > 90
expected = sum(np.maximum(paths[:, -1] - s, 0) * w for s, w in zip(settings.BORDERS, settings.WEIGHTS)) * alive
np.testing.assert_allclose(payoffs.copy_to_host(), expected, rtol=1e-6, atol=1e-9)
assert math.isclose(mean, expected.mean() * math.exp(-0.03), rel_tol=1e-9)
largest = cuda.reduce(lambda a, b: max(a, b))
assert math.isclose(largest(payoffs, init=0.0), expected.max(), rel_tol=1e-6)
