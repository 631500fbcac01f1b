# A name that changes type is a new variable; where paths meet, its types are unified.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def retype(x, out):
    i = cuda.grid(1)
    if i >= out.size:
        return
    value = x
    value = value[i]
    if value > 2:
        value = value * 0.5
    total = 0
    for k in range(i % 4):
        total = total + 0.25 * k
    max = total
    out[i] = value + max


PTX = [(retype, "(int32[::1], float64[::1])")]


def run():
    check(retype, 1, 40, np.arange(40, dtype=np.int32) % 6, np.zeros(40))
