# Inputs and results of the recurrences.
import numpy as np

from users.common import integers, kernel, uniform

CHUNK = 64
LENGTH = 64
STEPS = 64
QUEENS = 10


def biquad_rows(rows=2000, columns=500):
    signals = uniform(rows, columns, low=-1)
    b0, b1, b2, a1, a2 = factors = np.float32([0.2, 0.4, 0.2, -0.5, 0.3])

    def reference():
        out, z1, z2 = np.zeros(signals.shape), 0.0, 0.0
        for k in range(columns):
            x = signals[:, k].astype(np.float64)
            out[:, k] = y = b0 * x + z1
            z1, z2 = b1 * x - a1 * y + z2, b2 * x - a2 * y
        return [out]

    return kernel(
        "biquad_rows",
        (*factors, signals, np.zeros_like(signals)),
        extents=(rows, columns),
        threads=(rows,),
        reference=reference,
        tolerance=1e-5,
    )


def moving_average(times=500, series=4000):
    prices, alpha = uniform(times, series, dtype=np.float64), np.float64(0.1)

    def reference():
        out = prices.copy()
        for t in range(1, times):
            out[t] = alpha * prices[t] + (1 - alpha) * out[t - 1]
        return [out]

    return kernel(
        "moving_average",
        (alpha, prices, np.zeros_like(prices)),
        extents=(times, series),
        threads=(series,),
        reference=reference,
        tolerance=1e-14,
    )


def kalman1(n=3000, steps=200):
    measured, process, noise = uniform(n, steps, dtype=np.float64), np.float64(1e-3), np.float64(0.1)

    def reference():
        out, estimate, variance = np.zeros(measured.shape), 0.0, 1.0
        for k in range(steps):
            variance += process
            gain = variance / (variance + noise)
            out[:, k] = estimate = estimate + gain * (measured[:, k] - estimate)
            variance *= 1 - gain
        return [out]

    return kernel(
        "kalman1",
        (process, noise, measured, np.zeros_like(measured)),
        extents=(n, steps),
        threads=(n,),
        reference=reference,
        tolerance=1e-13,
    )


def running_max_chunks(n=4_000_000):
    values = integers(n, dtype=np.int32, low=-(10**9), high=10**9)

    def reference():
        rows = np.pad(values, (0, -n % CHUNK)).reshape(-1, CHUNK)
        return [np.maximum.accumulate(rows, axis=1).ravel()[:n]]

    arguments, threads = (values, np.zeros_like(values)), (-(-n // CHUNK),)
    return kernel("running_max_chunks", arguments, extents=(n,), threads=threads, reference=reference)


def longest_run(chunks=100_000):
    bits = (integers(chunks * CHUNK, high=10) < 7).astype(np.uint8)

    def reference():
        run = longest = np.zeros(chunks, np.int64)
        for column in bits.reshape(chunks, CHUNK).T:
            run = (run + 1) * column
            longest = np.maximum(longest, run)
        return [longest]

    return kernel("longest_run", (bits, np.zeros(chunks, np.int32)), extents=(chunks,), reference=reference)


def needleman(pairs=1000):
    first, second = integers(pairs, LENGTH, high=4), integers(pairs, LENGTH, high=4, seed=2)
    gap = np.int32(-1)

    def reference():
        row = np.tile(np.arange(LENGTH + 1) * gap, (pairs, 1))
        for i in range(LENGTH):
            above, row = row, np.empty_like(row)
            row[:, 0] = (i + 1) * gap
            for j in range(LENGTH):
                match = np.where(first[:, i] == second[:, j], 1, -1)
                row[:, j + 1] = np.maximum(above[:, j] + match, np.maximum(above[:, j + 1], row[:, j]) + gap)
        return [row[:, LENGTH]]

    return kernel(
        "needleman",
        (first, second, gap, np.zeros(pairs, np.int32)),
        extents=(pairs,),
        threads=(pairs * LENGTH,),
        block=(LENGTH,),
        reference=reference,
    )


def viterbi_step(sequences=1000, states=64, symbols=20):
    before, transitions = uniform(sequences, states, low=-9, high=-1), uniform(states, states, low=-9, high=-1)
    emissions, seen = uniform(states, symbols, low=-9, high=-1), integers(sequences, dtype=np.int32, high=symbols)

    def reference():
        scores = before[:, :, None] + transitions
        origins = scores.argmax(axis=1)
        return [scores.max(axis=1) + emissions[:, seen].T, origins]

    return kernel(
        "viterbi_step",
        (before, transitions, emissions, seen, np.zeros_like(before), np.zeros(before.shape, np.int32)),
        outputs=(4, 5),
        extents=(sequences, states, symbols),
        threads=(states, sequences),
        reference=reference,
    )


def knapsack_row(n=4_000_000, weight=777):
    before, value = np.sort(integers(n, dtype=np.int32, high=10**6)), np.int32(60)

    def reference():
        right = before.copy()
        right[weight:] = np.maximum(right[weight:], before[:-weight] + value)
        return [right]

    arguments = (np.int32(weight), value, before, np.zeros_like(before))
    return kernel("knapsack_row", arguments, extents=(n,), reference=reference)


def lorenz(n=4000, steps=50):
    states, dt = uniform(n, 3, dtype=np.float64, low=1, high=20), np.float64(0.005)

    def slope(state):
        x, y, z = state
        return np.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    def reference():
        state = states.T
        for _ in range(steps):
            a = slope(state)
            b = slope(state + dt / 2 * a)
            c = slope(state + dt / 2 * b)
            state = state + dt / 6 * (a + 2 * b + 2 * c + slope(state + dt * c))
        return [state.T]

    return kernel(
        "lorenz",
        (dt, np.int32(steps), states),
        restored=(2,),
        extents=(n,),
        reference=reference,
        tolerance=1e-11,
    )


def queens():
    def solutions(columns):
        row = len(columns)
        if row == QUEENS:
            return 1
        free = (c for c in range(QUEENS) if all(c != d and abs(c - d) != row - k for k, d in enumerate(columns)))
        return sum(solutions((*columns, c)) for c in free)

    def reference():
        pairs = np.ndindex(QUEENS, QUEENS)
        return [np.array([solutions((a, b)) if abs(a - b) > 1 else 0 for a, b in pairs])]

    return kernel("queens", (np.zeros(QUEENS * QUEENS, np.int32),), extents=(QUEENS * QUEENS,), reference=reference)


def binomial_option(n=4000):
    price, strike, years = uniform(n, low=10, high=30), uniform(n, low=10, high=30, seed=2), uniform(n, low=0.5, seed=3)
    rate, volatility = np.float32(0.05), np.float32(0.4)

    def reference():
        dt = years.astype(np.float64) / STEPS
        up = np.exp(volatility * np.sqrt(dt))
        p, discount = (np.exp(rate * dt) - 1 / up) / (up - 1 / up), np.exp(-rate * dt)
        values = np.maximum(strike - price * up ** (2 * np.arange(STEPS + 1)[:, None] - STEPS), 0)
        for _ in range(STEPS):
            values = discount * (p * values[1:] + (1 - p) * values[:-1])
        return [values[0]]

    arguments = (rate, volatility, price, strike, years, np.zeros(n, np.float32))
    return kernel("binomial_option", arguments, extents=(n,), reference=reference, tolerance=1e-4)


def prey_and_predators(n=5000, steps=200):
    dt = np.float64(0.01)
    rates = uniform(n, 4, dtype=np.float64, low=0.5, high=1.5) * np.array([1.0, 0.1, 0.05, 0.5])

    def reference():
        prey, predators, peak = np.full(n, 10.0), np.full(n, 5.0), np.full(n, 10.0)
        for _ in range(steps):
            both = prey * predators
            change = rates[:, 0] * prey - rates[:, 1] * both, rates[:, 2] * both - rates[:, 3] * predators
            prey, predators = prey + dt * change[0], predators + dt * change[1]
            peak = np.maximum(peak, prey)
        return [np.stack([prey, predators, peak], axis=1)]

    return kernel(
        "prey_and_predators",
        (dt, np.int32(steps), rates, np.zeros((n, 3))),
        extents=(n,),
        reference=reference,
        tolerance=1e-12,
    )


KERNELS = {
    "biquad_rows": (biquad_rows, {"rows": 100, "columns": 50}),
    "moving_average": (moving_average, {"times": 30, "series": 100}),
    "kalman1": (kalman1, {"n": 100, "steps": 50}),
    "running_max_chunks": (running_max_chunks, {"n": 1000}),
    "longest_run": (longest_run, {"chunks": 100}),
    "needleman": (needleman, {"pairs": 5}),
    "viterbi_step": (viterbi_step, {"sequences": 20, "states": 30, "symbols": 5}),
    "knapsack_row": (knapsack_row, {"n": 1000, "weight": 77}),
    "lorenz": (lorenz, {"n": 100}),
    "queens": (queens, {}),
    "binomial_option": (binomial_option, {"n": 100}),
    "prey_and_predators": (prey_and_predators, {"n": 100, "steps": 50}),
}
