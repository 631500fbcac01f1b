# Every augmented assignment, to names and to elements.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def augment(x, ints, floats):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        v += 3
        v -= i
        v *= 2
        v //= 3
        v %= 17
        v **= 2
        v <<= 2
        v >>= 1
        v |= 8
        v &= 63
        v ^= 5
        ints[i, 0] += v
        ints[i, 1] -= v
        ints[i, 2] *= v
        ints[i, 3] //= 7
        ints[i, 4] %= 5
        ints[i, 5] ^= v
        f = v * 1.5
        f /= 4
        floats[i] -= f
        floats[i] /= 2


PTX = [(augment, "(int64[::1], int64[:, ::1], float64[::1])")]


def run():
    check(augment, 2, 32, np.arange(50), np.arange(300).reshape(50, 6) - 100, np.arange(50.0))
