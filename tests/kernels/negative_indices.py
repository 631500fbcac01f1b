# Negative indices of signed types count from the end; a literal -1 costs nothing.
import numpy as np
from treadle import cuda, int8

from kernels.harness import check


@cuda.jit
def ends(x, index, out):
    i = cuda.grid(1)
    if i < index.size:
        out[i, 0] = x[index[i]]
        out[i, 1] = x[-1]
        out[i, -1] = x[-x.size]
        out[i, -2] = x[int8(-2)]
        out[-1 - i, 3] = i


@cuda.jit
def last(x, out):
    # A literal -1 and a guarded index: no test for negative values remains.
    # CHECK-PTX-LABEL: .entry {{.*}}last
    # CHECK-PTX-NOT: setp.lt
    # CHECK-PTX: %tid.x
    i = cuda.grid(1)
    if 0 <= i < out.size:
        # CHECK-PTX-NOT: selp
        # CHECK-PTX: st.global
        out[i] = x[-1]


PTX = [(ends, "(int64[::1], int64[::1], int64[:, ::1])"), (last, "(int64[::1], int64[::1])")]


def run():
    x = np.arange(10) * 11
    check(ends, 1, 32, x, np.arange(-10, 10), np.zeros((20, 6), np.int64))
    check(ends, 1, 32, x, np.arange(-10, 10, dtype=np.int16), np.zeros((20, 6), np.int64))
    check(ends, 1, 32, x, np.arange(10, dtype=np.uint8), np.zeros((10, 6), np.int64))
    check(last, 1, 32, x, np.zeros(20, np.int64))
