# Loops that end at the limit of their counter's type: the last value plus the step overflows, without effect.
import numpy as np
from treadle import cuda, int32

from kernels.harness import launch


@cuda.jit
def count(bounds, out):
    i = cuda.grid(1)
    n = 0
    for _ in range(bounds[i, 0], bounds[i, 1], bounds[i, 2]):
        n += 1
    out[i] = n


@cuda.jit
def count32(start, stop, step, out):
    n = 0
    for _ in range(int32(start), int32(stop), int32(step)):
        n += 1
    out[cuda.grid(1)] = n


PTX = [(count, "(int64[:, ::1], int64[::1])"), (count32, "(int64, int64, int64, int64[::1])")]


def run():
    top, bottom = 2**63 - 1, -(2**63)
    bounds = [(top - 5, top, 3), (top - 1, top, 1), (bottom + 4, bottom, -3), (top - 2**62, top, 2**61), (0, top, top)]
    _, out = launch(count, 1, len(bounds), np.array(bounds), np.zeros(len(bounds), np.int64))
    assert out.tolist() == [2, 1, 2, 2, 1]
    for start, stop, step, expected in ((2**31 - 3, 2**31 - 1, 2**20, 1), (0, 2**31 - 1, 2**30, 2),
                                        (-(2**31) + 9, -(2**31), -4, 3)):  # fmt: skip
        *_, out = launch(count32, 1, 32, start, stop, step, np.zeros(32, np.int64))
        assert out.tolist() == [expected] * 32
