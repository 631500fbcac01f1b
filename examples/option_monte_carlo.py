# A call option priced by simulation: each thread has a random generator of its own; checked against Black and Scholes.
import math

import numpy as np
from treadle import cuda, float64

THREADS = 256
# xorshift64*, by Marsaglia and Vigna.
MULTIPLIER = np.uint64(0x2545F4914F6CDD1D)


@cuda.jit(device=True)
def next_state(state):
    state = state ^ (state >> 12)
    state = state ^ (state << 25)
    return state ^ (state >> 27)


@cuda.jit(device=True)
def uniform(state):
    """The upper 53 bits of the state's number as a float in (0, 1]."""
    return ((state * MULTIPLIER >> 11) + 1) * 2.0**-53


@cuda.jit
def simulate(states, paths, spot, strike, years, rate, volatility, sums):
    """Adds each thread's discounted pay-offs, and their squares, to the sums.

    Two uniform numbers make two normal ones (Box and Muller). A path and its mirror image count as one sample, since
    their errors partly cancel.
    """
    block_sums = cuda.shared.array(2, float64)
    if cuda.threadIdx.x < 2:
        block_sums[cuda.threadIdx.x] = 0.0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < states.size:
        state = states[i]
        drift = (rate - 0.5 * volatility * volatility) * years
        spread = volatility * math.sqrt(years)
        total = squares = 0.0
        for _ in range(paths // 2):
            state = next_state(state)
            radius = math.sqrt(-2.0 * math.log(uniform(state)))
            state = next_state(state)
            angle = 2.0 * math.pi * uniform(state)
            for normal in (radius * math.cos(angle), radius * math.sin(angle)):
                up = spot * math.exp(drift + spread * normal)
                down = spot * math.exp(drift - spread * normal)
                sample = 0.5 * (max(up - strike, 0.0) + max(down - strike, 0.0))
                total += sample
                squares += sample * sample
        states[i] = state
        discount = math.exp(-rate * years)
        cuda.atomic.add(block_sums, 0, total * discount)
        cuda.atomic.add(block_sums, 1, squares * discount * discount)
    cuda.syncthreads()
    if cuda.threadIdx.x < 2:
        cuda.atomic.add(sums, cuda.threadIdx.x, block_sums[cuda.threadIdx.x])


def price(option, generators=1 << 14, paths=100, seed=1):
    """The price of a call, and its standard error."""
    sums = np.zeros(2)
    blocks = (generators + THREADS - 1) // THREADS
    simulate[blocks, THREADS](make_states(generators, seed), paths, *option, sums)
    return estimate(*sums, generators * paths)


def price_numpy(option, generators=1 << 14, paths=100, seed=1):
    """The same from the same random numbers: the generator's functions take arrays, too."""
    spot, strike, years, rate, volatility = option
    state, samples = make_states(generators, seed), []
    for _ in range(paths // 2):
        first = next_state.py_func(state)
        state = next_state.py_func(first)
        radius = np.sqrt(-2 * np.log(uniform.py_func(first)))
        angle = 2 * np.pi * uniform.py_func(state)
        normal = volatility * math.sqrt(years) * np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])
        ends = spot * np.exp((rate - volatility**2 / 2) * years + np.stack([normal, -normal]))
        samples.append(math.exp(-rate * years) * np.maximum(ends - strike, 0).mean(axis=0))
    return estimate(np.sum(samples), np.square(samples).sum(), generators * paths)


def estimate(total, squares, count):
    """Mean and standard error of samples of which the sum and the sum of squares are known."""
    mean = total / count
    return mean, math.sqrt((squares / count - mean * mean) / count)


def make_states(count, seed):
    return np.random.default_rng(seed).integers(1, 1 << 63, count, dtype=np.uint64)


def make_option():
    """Spot, strike, years to expiry, the risk-free rate, the volatility."""
    return 100.0, 105.0, 1.0, 0.03, 0.25


def exact_price(spot, strike, years, rate, volatility):
    d1 = (math.log(spot / strike) + (rate + volatility**2 / 2) * years) / (volatility * math.sqrt(years))
    d2 = d1 - volatility * math.sqrt(years)
    upper, lower = (0.5 * math.erfc(-d / math.sqrt(2)) for d in (d1, d2))
    return spot * upper - strike * math.exp(-rate * years) * lower


def main():
    option = make_option()
    found, error = price(option)
    print(f"the call costs {found:.4f}, give or take {error:.4f}; by Black and Scholes {exact_price(*option):.4f}")


if __name__ == "__main__":
    main()
