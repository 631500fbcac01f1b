# Division of signed integers by constants rounds downwards; by powers of two it is a shift, the remainder a mask.
import numpy as np
from treadle import cuda

from kernels.harness import check

LEAST = -(2**63)


@cuda.jit
def quotients(x, out):
    # CHECK-PTX-LABEL: .entry {{.*}}quotients
    # CHECK-PTX: shr.s64
    i = cuda.grid(1)
    if i < x.size:
        y = np.int64(x[i])
        out[i, 0] = y // 1
        out[i, 1] = y // 2
        out[i, 2] = y // 4096
        out[i, 3] = y // 2**62
        out[i, 4] = y // LEAST
        out[i, 5] = y // -2
        out[i, 6] = y // 3


@cuda.jit
def remainders(x, out):
    # CHECK-PTX-LABEL: .entry {{.*}}remainders
    # CHECK-PTX: and.b64
    i = cuda.grid(1)
    if i < x.size:
        y = np.int64(x[i])
        out[i, 0] = y % 1
        out[i, 1] = y % 2
        out[i, 2] = y % 4096
        out[i, 3] = y % 2**62
        out[i, 4] = y % LEAST
        out[i, 5] = y % -2
        out[i, 6] = y % 3


PTX = [(kernel, "(int64[::1], int64[:, ::1])") for kernel in (quotients, remainders)]
PTX += [(kernel, "(int8[::1], int64[:, ::1])") for kernel in (quotients, remainders)]


def run():
    near = [p + d for p in (0, 1, 2, 4096, 2**31, 2**62) for d in (-1, 0, 1)]
    edges = np.array([*near, *[-value for value in near], 2**63 - 1, LEAST, LEAST + 1, 2 - 2**62])
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        for kernel in (quotients, remainders):
            check(kernel, 2, 32, edges.astype(dtype), np.zeros((edges.size, 7), np.int64))
