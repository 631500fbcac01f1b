# Conversions between integers of 64 bits and floats, for which AVX2 has no instructions: at the ends of their ranges,
# halfway between two floats, and where one half of the bits is 0 or negative.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def to_floats(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i]


@cuda.jit
def to_integers(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i]


PTX = [
    (to_floats, "(int64[::1], float64[::1])"),
    (to_floats, "(uint64[::1], float64[::1])"),
    (to_integers, "(float64[::1], int64[::1])"),
    (to_integers, "(float32[::1], uint64[::1])"),
]


def integers(random):
    ends = [sign * (2**bit + more) for bit in range(64) for more in (-2, -1, 0, 1, 2) for sign in (1, -1)]
    halfway = [sign * (2**bit + 2 ** (bit - 53) * more) for bit in range(53, 64) for more in (1, 3) for sign in (1, -1)]
    anything = random.integers(-(2**63), 2**63, 500) >> random.integers(0, 64, 500)
    words = [number << 32 for number in (1, -1, 2**31 - 1, -(2**31), 12345, -12345)]
    return [*ends, *halfway, *anything.tolist(), *words]


def saturated(x, kind):
    """What a float becomes: truncated, at the ends of the range the end, and 0 for what is no number."""
    bounds = np.iinfo(kind)
    return [0 if np.isnan(v) else int(min(max(v, bounds.min), bounds.max)) for v in x.tolist()]


def run():
    random = np.random.default_rng(7)
    numbers = integers(random)
    for kind in (np.int64, np.uint64):
        bounds = np.iinfo(kind)
        x = np.array([number for number in numbers if bounds.min <= number <= bounds.max], kind)
        _, out = launch(to_floats, -(-x.size // 64), 64, x, np.zeros(x.size))
        assert np.array_equal(out, x.astype(np.float64)), kind
    near = np.array([float(number) for number in numbers])
    x = np.concatenate([near, near + 0.5, near - 0.25, np.nextafter(near, 0), [np.nan, np.inf, -np.inf, -0.0, 1e300]])
    for dtype in (np.float64, np.float32):
        some = x[~(np.abs(x) > 1e30)].astype(dtype) if dtype is np.float32 else x
        for kind in (np.int64, np.uint64):
            _, out = launch(to_integers, -(-some.size // 64), 64, some, np.zeros(some.size, kind))
            assert out.tolist() == saturated(some, kind), (dtype, kind)
