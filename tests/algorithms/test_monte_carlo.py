"""Option prices by simulation with a xorshift generator per thread, and tests of the generators bit by bit."""

import math

import numpy as np
import pytest
from treadle import cuda, float64, uint32, uint64

MULTIPLIER = np.uint64(0x2545F4914F6CDD1D)
TWO_PI = 2 * math.pi
THREADS = 128


@cuda.jit(device=True)
def xorshift32(state):
    state ^= uint32(state << 13)
    state ^= state >> 17
    state ^= uint32(state << 5)
    return uint32(state)


@cuda.jit(device=True)
def xorshift64star(states, i):
    """The next 64 bits of generator i."""
    x = states[i]
    x ^= x >> 12
    x ^= x << 25
    x ^= x >> 27
    states[i] = x
    return x * MULTIPLIER


@cuda.jit(device=True)
def uniform(states, i):
    """In (0, 1], so that its logarithm is finite."""
    return float64((xorshift64star(states, i) >> uint64(11)) + uint64(1)) * (1.0 / (1 << 53))


@cuda.jit(device=True)
def normal_pair(states, i):
    """Two normally distributed numbers, by Box and Muller."""
    radius = math.sqrt(-2.0 * math.log(uniform(states, i)))
    angle = TWO_PI * uniform(states, i)
    return radius * math.cos(angle), radius * math.sin(angle)


@cuda.jit
def draw32(states, out):
    i = cuda.grid(1)
    if i < states.size:
        state = states[i]
        for k in range(out.shape[0]):
            state = xorshift32(state)
            out[k, i] = state
        states[i] = state


@cuda.jit
def draw64(states, out):
    i = cuda.grid(1)
    if i < states.size:
        for k in range(out.shape[0]):
            out[k, i] = xorshift64star(states, i)


@cuda.jit
def throw_darts(states, throws, inside):
    """Points in a square, from the upper 32 bits; counted per block, then in total."""
    mine = cuda.shared.array(1, cuda.int64)
    if cuda.threadIdx.x == 0:
        mine[0] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < states.size:
        state, count = states[i], 0
        for _ in range(throws):
            state = xorshift32(state)
            x = (state >> 8) / 16777216.0
            state = xorshift32(state)
            y = (state >> 8) / 16777216.0
            if x * x + y * y < 1.0:
                count += 1
        states[i] = state
        cuda.atomic.add(mine, 0, count)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(inside, 0, mine[0])


@cuda.jit
def price_calls(states, paths, spot, strike, rate, volatility, years, sums):
    """Sum and sum of squares of the discounted pay-offs of each block's paths and their antithetic paths."""
    payoff = cuda.shared.array(THREADS, float64)
    squares = cuda.shared.array(THREADS, float64)
    tid = cuda.threadIdx.x
    i = cuda.grid(1)
    drift = (rate - 0.5 * volatility * volatility) * years
    spread = volatility * math.sqrt(years)
    discount = math.exp(-rate * years)
    payoff[tid] = 0.0
    squares[tid] = 0.0
    if i < states.size:
        for _ in range(paths // 2):
            for z in normal_pair(states, i):
                up = max(spot * math.exp(drift + spread * z) - strike, 0.0)
                down = max(spot * math.exp(drift - spread * z) - strike, 0.0)
                mean = 0.5 * discount * (up + down)
                payoff[tid] += mean
                squares[tid] += mean * mean
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if tid < half:
            payoff[tid] += payoff[tid + half]
            squares[tid] += squares[tid + half]
        cuda.syncthreads()
        half //= 2
    if tid == 0:
        sums[cuda.blockIdx.x, 0] = payoff[0]
        sums[cuda.blockIdx.x, 1] = squares[0]


@cuda.jit
def price_asian(states, steps, spot, strike, rate, volatility, years, payoff):
    """The pay-off on the mean of a path, one path per thread: a loop that carries two numbers."""
    i = cuda.grid(1)
    if i >= states.size:
        return
    step = years / steps
    drift = (rate - 0.5 * volatility**2) * step
    spread = volatility * math.sqrt(step)
    price, total = spot, 0.0
    for k in range(0, steps, 2):
        first, second = normal_pair(states, i)
        price *= math.exp(drift + spread * first)
        total += price
        if k + 1 < steps:
            price *= math.exp(drift + spread * second)
            total += price
    payoff[i] = math.exp(-rate * years) * max(total / steps - strike, 0.0)


MARKET = "float64, float64, float64, float64, float64"
PTX = [
    (draw32, "(uint32[::1], uint32[:, ::1])"),
    (draw64, "(uint64[::1], uint64[:, ::1])"),
    (throw_darts, "(uint32[::1], int64, int64[::1])"),
    (price_calls, f"(uint64[::1], int64, {MARKET}, float64[:, ::1])"),
    (price_asian, f"(uint64[::1], int64, {MARKET}, float64[::1])"),
]


def make_states(count, dtype):
    return np.random.default_rng(count).integers(1, np.iinfo(dtype).max, count, dtype=dtype)


def next32(state):
    state = state ^ (state << np.uint32(13))
    state = state ^ (state >> np.uint32(17))
    return state ^ (state << np.uint32(5))


def next64(state):
    state = state ^ (state >> np.uint64(12))
    state = state ^ (state << np.uint64(25))
    return state ^ (state >> np.uint64(27))


def uniform_numpy(state):
    return ((state * MULTIPLIER >> np.uint64(11)) + np.uint64(1)).astype(float) / (1 << 53)


@pytest.mark.parametrize("threads", [32, 50, 256])
@pytest.mark.parametrize("count", [1, 64, 1000])
def test_bits_of_xorshift32(count, threads):
    states, out = make_states(count, np.uint32), np.zeros((20, count), np.uint32)
    expected = states.copy()
    draw32[-(-count // threads), threads](states, out)
    for row in out:
        expected = next32(expected)
        np.testing.assert_array_equal(row, expected)
    np.testing.assert_array_equal(states, expected)


@pytest.mark.parametrize("threads", [32, 50, 256])
@pytest.mark.parametrize("count", [1, 64, 1000])
def test_bits_of_xorshift64star(count, threads):
    states, out = make_states(count, np.uint64), np.zeros((20, count), np.uint64)
    expected = states.copy()
    draw64[-(-count // threads), threads](states, out)
    for row in out:
        expected = next64(expected)
        np.testing.assert_array_equal(row, expected * MULTIPLIER)
    np.testing.assert_array_equal(states, expected)


@pytest.mark.parametrize("threads", [32, 100])
def test_pi_to_the_last_dart(threads):
    states, inside = make_states(1000, np.uint32), np.zeros(1, np.int64)
    x, expected = states.copy(), 0
    throw_darts[-(-states.size // threads), threads](states, 50, inside)
    for _ in range(50):
        first = next32(x)
        x = next32(first)
        expected += np.count_nonzero((first >> 8) / 2**24 * ((first >> 8) / 2**24) + ((x >> 8) / 2**24) ** 2 < 1)
    assert inside[0] == expected
    assert abs(4 * expected / 50_000 - math.pi) < 0.03


@pytest.mark.parametrize(("spot", "strike", "years"), [(100.0, 100.0, 1.0), (90.0, 110.0, 0.5), (120.0, 80.0, 2.0)])
def test_calls_within_the_statistical_error(spot, strike, years):
    from scipy.special import ndtr

    rate, volatility, generators, paths = 0.03, 0.25, 1000, 100
    blocks = -(-generators // THREADS)
    sums = np.zeros((blocks, 2))
    states = make_states(generators, np.uint64)
    price_calls[blocks, THREADS](states, paths, spot, strike, rate, volatility, years, sums)
    total, squares = sums.sum(0)
    count = generators * paths
    mean = total / count
    error = math.sqrt((squares / count - mean**2) / count)
    d1 = (math.log(spot / strike) + (rate + volatility**2 / 2) * years) / (volatility * math.sqrt(years))
    d2 = d1 - volatility * math.sqrt(years)
    exact = spot * ndtr(d1) - strike * math.exp(-rate * years) * ndtr(d2)
    assert error < 0.01 * exact
    assert abs(mean - exact) < 4 * error


@pytest.mark.parametrize("steps", [1, 7, 12])
@pytest.mark.parametrize("threads", [32, 100])
def test_asian_paths_against_numpy(threads, steps):
    spot, strike, rate, volatility, years = 100.0, 95.0, 0.03, 0.25, 1.0
    states = make_states(300, np.uint64)
    state, logarithm, total = states.copy(), np.full(300, math.log(spot)), np.zeros(300)
    payoff = np.zeros(300)
    price_asian[-(-300 // threads), threads](states, steps, spot, strike, rate, volatility, years, payoff)
    step = years / steps
    for k in range(steps):
        if k % 2 == 0:
            first = next64(state)
            state = next64(first)
            radius = np.sqrt(-2 * np.log(uniform_numpy(first)))
            angle = TWO_PI * uniform_numpy(state)
        normal = radius * (np.sin(angle) if k % 2 else np.cos(angle))
        logarithm += (rate - volatility**2 / 2) * step + volatility * math.sqrt(step) * normal
        total += np.exp(logarithm)
    expected = math.exp(-rate * years) * np.maximum(total / steps - strike, 0)
    np.testing.assert_allclose(payoff, expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(states, state)
