# A step known only at run time, of either sign or zero, compiles without a division.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def collect(starts, stops, steps, out):
    i = cuda.grid(1)
    if i >= starts.size:
        return
    count, total = 0, 0
    if steps[i] != 0:
        # CHECK-PTX: .visible .entry
        # CHECK-PTX-NOT: div.s64
        # CHECK-PTX-NOT: rem.s64
        # CHECK-PTX: st.global
        for k in range(starts[i], stops[i], steps[i]):
            count += 1
            total += k
    out[i, 0] = count
    out[i, 1] = total


PTX = [(collect, "(int64[::1], int64[::1], int64[::1], int64[:, ::1])")]


def run():
    cases = [(a, b, s) for a in (-7, 0, 5, 12) for b in (-9, 0, 5, 13) for s in (-4, -1, 0, 1, 3)]
    starts, stops, steps = np.array(cases).T.copy()
    check(collect, 3, 32, starts, stops, steps, np.zeros((len(cases), 2), np.int64))
