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


@cuda.jit
def shifted(x, shift, first, end, out):
    """Threads from `first` to `end` read: all, some or none of them before the beginning."""
    i = cuda.grid(1)
    if first <= i < end:
        out[i] = x[i - shift]
        out[i] += 100 * (x[i - shift - 1] if i > first else x[-1])


PTX = [
    (ends, "(int64[::1], int64[::1], int64[:, ::1])"),
    (last, "(int64[::1], int64[::1])"),
    (shifted, "(int64[::1], int64, int64, int64, int64[::1])"),
]


def run():
    x = np.arange(10) * 11
    check(ends, 1, 32, x, np.arange(-10, 10), np.zeros((20, 6), np.int64))
    check(ends, 1, 32, x, np.arange(-10, 10, dtype=np.int16), np.zeros((20, 6), np.int64))
    check(ends, 1, 32, x, np.arange(10, dtype=np.uint8), np.zeros((10, 6), np.int64))
    check(last, 1, 32, x, np.zeros(20, np.int64))
    x = np.arange(100) * 7
    for first in (0, 3, 32, 40):
        for shift in {0, 1, 5, 32, 40, 70, first, first - 1, first + 1}:
            for end in (first + 1, 60, 64, 99):
                check(shifted, 2, 64, x, shift, first, end, np.zeros(100, np.int64))
