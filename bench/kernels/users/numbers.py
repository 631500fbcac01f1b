# Arithmetic in CUDA Python: a sequence, an iteration or a random walk in each thread.
import math

from treadle import cuda, int64, uint32, uint64


@cuda.jit
def collatz(first, out):
    i = cuda.grid(1)
    if i < out.size:
        n = first + i
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            steps += 1
        out[i] = steps


@cuda.jit
def kepler(anomalies, eccentricities, out):
    i = cuda.grid(1)
    if i < out.size:
        m = anomalies[i]
        e = eccentricities[i]
        x = m
        for _ in range(20):
            step = (x - e * math.sin(x) - m) / (1.0 - e * math.cos(x))
            x -= step
            if abs(step) < 1e-12:
                break
        out[i] = x


@cuda.jit
def walk(seed, steps, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        state = uint64(seed) + uint64(i) * uint64(0x9E3779B97F4A7C15)
        x = 0
        y = 0
        for _ in range(steps):
            state ^= state << uint64(13)
            state ^= state >> uint64(7)
            state ^= state << uint64(17)
            direction = state >> uint64(62)
            if direction == 0:
                x += 1
            elif direction == 1:
                x -= 1
            elif direction == 2:
                y += 1
            else:
                y -= 1
        out[i, 0] = x
        out[i, 1] = y


@cuda.jit
def inside_circle(seed, draws, out):
    i = cuda.grid(1)
    if i < out.size:
        state = uint32(seed + i * 2654435761)
        hits = 0
        for _ in range(draws):
            state = uint32(state * 1664525 + 1013904223)
            x = state / 4294967296.0
            state = uint32(state * 1664525 + 1013904223)
            y = state / 4294967296.0
            if x * x + y * y < 1.0:
                hits += 1
        out[i] = hits


@cuda.jit
def divisors(out):
    i = cuda.grid(1)
    if i < out.size:
        count = int64(0)
        d = 1
        while d * d <= i:
            if i % d == 0:
                count += 1 if d * d == i else 2
            d += 1
        out[i] = count


@cuda.jit
def logistic(r, x, steps):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        for _ in range(steps):
            value = r[i] * value * (1.0 - value)
        x[i] = value
