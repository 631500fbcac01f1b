# Inputs and results of the arithmetic kernels.
import numpy as np

from users.common import kernel, uniform


def collatz(n=60_000):
    first = np.int64(1_000_000)

    def reference():
        value, steps = first + np.arange(n), np.zeros(n, np.int64)
        while (going := value != 1).any():
            steps += going
            value = np.where(going, np.where(value % 2, 3 * value + 1, value // 2), 1)
        return [steps]

    return kernel("collatz", (first, np.zeros(n, np.int32)), extents=(n,), reference=reference)


def kepler(n=150_000):
    anomalies = uniform(n, dtype=np.float64, high=2 * np.pi)
    eccentricities = uniform(n, dtype=np.float64, high=0.7, seed=2)

    def reference():
        x = anomalies.copy()
        for _ in range(20):
            x -= (x - eccentricities * np.sin(x) - anomalies) / (1 - eccentricities * np.cos(x))
        return [x]

    arguments = (anomalies, eccentricities, np.zeros(n))
    return kernel("kepler", arguments, extents=(n,), reference=reference, tolerance=1e-14)


def walk(n=20_000, steps=300):
    seed = np.int64(12345)

    def reference():
        state = np.uint64(seed) + np.arange(n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        position = np.zeros((n, 2), np.int64)
        for _ in range(steps):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            position += np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])[state >> np.uint64(62)]
        return [position]

    arguments = (seed, np.int32(steps), np.zeros((n, 2), np.int32))
    return kernel("walk", arguments, extents=(n,), reference=reference)


def inside_circle(n=60_000, draws=300):
    seed = np.int64(12345)

    def reference():
        state = (seed + np.arange(n) * 2654435761).astype(np.uint32)
        hits = np.zeros(n, np.int64)
        for _ in range(draws):
            state = state * np.uint32(1664525) + np.uint32(1013904223)
            x = state / 4294967296.0
            state = state * np.uint32(1664525) + np.uint32(1013904223)
            y = state / 4294967296.0
            hits += x * x + y * y < 1.0
        return [hits]

    arguments = (seed, np.int32(draws), np.zeros(n, np.int32))
    return kernel("inside_circle", arguments, extents=(n,), reference=reference)


def divisors(n=60_000):
    def reference():
        counts = np.zeros(n, np.int64)
        for d in range(1, n):
            counts[d::d] += 1
        return [counts]

    return kernel("divisors", (np.zeros(n, np.int32),), extents=(n,), reference=reference)


def logistic(n=200_000, steps=100):
    # Orbits that end in a point or in a cycle of two, not in chaos.
    r, x = uniform(n, dtype=np.float64, low=1.5, high=3.4), uniform(n, dtype=np.float64, low=0.2, high=0.8)

    def reference():
        value = x.copy()
        for _ in range(steps):
            value = r * value * (1 - value)
        return [value]

    return kernel(
        "logistic",
        (r, x, np.int32(steps)),
        outputs=(1,),
        restored=(1,),
        extents=(n,),
        reference=reference,
        tolerance=1e-11,
    )


KERNELS = {
    "collatz": (collatz, {"n": 300}),
    "kepler": (kepler, {"n": 300}),
    "walk": (walk, {"n": 100, "steps": 50}),
    "inside_circle": (inside_circle, {"n": 100, "draws": 50}),
    "divisors": (divisors, {"n": 300}),
    "logistic": (logistic, {"n": 300}),
}
