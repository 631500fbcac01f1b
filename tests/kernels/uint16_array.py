# Arrays of unsigned 16-bit integers: never sign-extended.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def mean(x, y, out, larger):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = (x[i] + y[i]) // 2
        larger[i] = x[i] > y[i]
        x[i] -= 1


PTX = [(mean, "(uint16[::1], uint16[::1], uint16[::1], boolean[::1])")]


def run():
    x = np.array([0, 1, 40000, 65535, 65535, 300], np.uint16)
    y = np.array([65535, 2, 50000, 65535, 0, 5], np.uint16)
    less, _, out, larger = launch(mean, 1, 32, x, y, np.zeros(6, np.uint16), np.zeros(6, bool))
    assert out.tolist() == [32767, 1, 45000, 65535, 32767, 152]
    assert larger.tolist() == [False, False, False, False, True, True]
    assert less.tolist() == [65535, 0, 39999, 65534, 65534, 299]
