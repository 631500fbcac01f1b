# A loop whose step is the size of the grid: its trip count needs no division.
import numpy as np
from treadle import cuda

from kernels.harness import ALL_TARGETS, check


@cuda.jit
def scale(x, out):
    # CHECK-PTX: .visible .entry
    # CHECK-PTX-NOT: div.s64
    # CHECK-PTX-NOT: div.u64
    # CHECK-PTX-NOT: rem.
    # CHECK-PTX: bra
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        # CHECK-PTX: st.global.f64
        out[i] = 2 * x[i]
    # CHECK-PTX-NOT: div.s64
    # CHECK-PTX-NOT: div.u64
    # CHECK-PTX-NOT: rem.
    # CHECK-PTX: ret


PTX = [(scale, "(float64[::1], float64[::1])")]
TARGETS = ALL_TARGETS


def run():
    for size in (0, 1, 96, 97, 1000):
        check(scale, 3, 32, np.arange(size) / 4, np.zeros(size))
