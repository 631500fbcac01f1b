# Linear search: a lane leaves the loop when it has found its value, the others continue.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def find(haystack, needles, where):
    i = cuda.grid(1)
    if i < needles.size:
        found = -1
        for k in range(haystack.size):
            if haystack[k] == needles[i]:
                found = k
                break
        where[i] = found


PTX = [(find, "(int32[::1], int32[::1], int64[::1])")]


def run():
    haystack = (np.arange(40) * 7 % 41).astype(np.int32)
    needles = np.arange(-3, 60, dtype=np.int32)
    check(find, 2, 32, haystack, needles, np.zeros(needles.size, np.int64))
