# The loop variable keeps its last value; assigning to it inside the loop does not change the trip count.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def last(out):
    i = cuda.grid(1)
    k = -7
    rounds = 0
    for k in range(i % 5):
        rounds += 1
        k += 100
    out[i, 0] = k
    out[i, 1] = rounds


PTX = [(last, "(int64[:, ::1])")]


def run():
    check(last, 1, 33, np.zeros((33, 2), np.int64))
