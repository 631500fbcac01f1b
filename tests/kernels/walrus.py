# Assignment expressions, in conditions and loops.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def assign(x, out):
    i = cuda.grid(1)
    if i < x.size:
        if (v := x[i] * 2) > 10:
            out[i] = v
        k = 0
        while (w := k * k) < v:
            k += 1
        out[i] += 1000 * w + k


# The last operand that runs decides which value the name has.
@cuda.jit
def assign_until_decided(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = 100
        chained = 1 <= x[i] % 5 < (v := x[i] % 7) < (v := v + 10) > 14
        out[0, i] = v * 2 + chained
        v = 100
        both = x[i] % 5 > 1 and (v := x[i] % 7) > 2 and (v := v + 10) > 14
        out[1, i] = v * 2 + both
        v = 100
        either = x[i] % 5 > 2 or (v := x[i] % 7) > 4 or (v := v + 10) > 13
        out[2, i] = v * 2 + either


PTX = [
    (assign, "(int64[::1], int64[::1])"),
    (assign_until_decided, "(int64[::1], int64[:,::1])"),
]


def run():
    check(assign, 1, 40, np.arange(40), np.zeros(40, np.int64))
    check(assign_until_decided, 2, 32, np.arange(60), np.zeros((3, 60), np.int64))
