# Division of what differs between threads by what does not, where neither is negative.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def divide(x, divisor, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i, 0] = x[i] // divisor
        out[i, 1] = x[i] % divisor


@cuda.jit
def coordinates(width, out):
    """A thread's place in an image, and a digit, of a number that is computed."""
    i = cuda.grid(1)
    k = (i * i) & 65535
    if width > 0:
        out[i, 0] = k // width
        out[i, 1] = k % width
        for base in range(2, 5):
            out[i, 0] += k // base * 100_000


PTX = [
    (divide, "(uint32[::1], uint32, int64[:, ::1])"),
    (divide, "(uint8[::1], uint16, int64[:, ::1])"),
    (coordinates, "(int64, int64[:, ::1])"),
]


def run():
    most = 2**32 - 1
    edges = [1, 2, 3, 5, 7, 10, 641, 2**16 - 1, 2**16, 2**16 + 1, 2**31 - 1, 2**31, 2**31 + 1, most - 1, most]
    random = np.random.default_rng(1)
    for divisor in [*edges, *random.integers(1, most, 20).tolist(), *random.integers(1, 2**16, 20).tolist()]:
        multiples = random.integers(0, most // divisor + 1, 100, dtype=np.uint64) * divisor
        near = np.concatenate([multiples, multiples + divisor - 1, [most // divisor * divisor]])
        x = np.minimum(np.concatenate([near.astype(np.uint64), [0, most]]), most).astype(np.uint32)
        _, _, out = launch(divide, -(-x.size // 64), 64, x, np.uint32(divisor), np.zeros((x.size, 2), np.int64))
        assert np.array_equal(out, np.stack([x // divisor, x % divisor], 1)), divisor
    small = np.arange(256, dtype=np.uint8)
    for divisor in (1, 3, 16, 255, 256, 65535):
        _, _, out = launch(divide, 4, 64, small, np.uint16(divisor), np.zeros((256, 2), np.int64))
        assert np.array_equal(out, np.stack([small // np.int64(divisor), small % np.int64(divisor)], 1)), divisor
    k = np.arange(640) ** 2 & 65535
    for width in (0, 1, 3, 640, 2**40):
        _, out = launch(coordinates, 10, 64, width, np.zeros((640, 2), np.int64))
        expected = np.stack([k // width + sum(k // base for base in (2, 3, 4)) * 100_000, k % width], 1) if width else 0
        assert np.all(out == expected), width
