# Arrays of 8-bit integers: neighbours are unchanged, stores wrap, loads extend the sign.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def step(x, out, wide):
    i = cuda.grid(1)
    if i < x.size and i % 3 != 0:
        out[i] = x[i] + 1
        wide[i] = x[i]


PTX = [(step, "(int8[::1], int8[::1], int64[::1])")]


def run():
    x = np.arange(-128, 128).astype(np.int8)
    _, out, wide = launch(step, 5, 64, x, np.full(256, 7, np.int8), np.full(256, 7))
    skipped = np.arange(256) % 3 == 0
    np.testing.assert_array_equal(out, np.where(skipped, 7, (x.astype(int) + 1).astype(np.int8)))
    np.testing.assert_array_equal(wide, np.where(skipped, 7, x))
