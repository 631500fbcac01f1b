# Arrays of one to eight dimensions.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def eight(a, out):
    i = cuda.grid(1)
    n = a.shape[7]
    if i < n:
        out[i] = a[1, 0, 1, 0, 1, 0, 1, i] + a.ndim + a.size


@cuda.jit
def five(a):
    i = cuda.grid(1)
    if i < a.shape[4]:
        for j in range(a.shape[0]):
            a[j, -1, 0, 1, i] = j - i


PTX = [
    (eight, "(int64[:, :, :, :, :, :, :, ::1], int64[::1])"),
    (five, "(int64[:, :, :, :, :])"),
]


def run():
    check(eight, 1, 32, np.arange(2**7 * 3).reshape((2,) * 7 + (3,)), np.zeros(3, np.int64))
    check(five, 1, 32, np.zeros((2, 3, 2, 2, 5), np.int64))
    check(five, 1, 32, np.zeros((5, 2, 2, 3, 2), np.int64).T)
