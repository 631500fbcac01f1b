# A while loop with a different trip count for each lane (Collatz).
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def collatz(x, steps):
    i = cuda.grid(1)
    if i < x.size:
        n = x[i]
        count = 0
        while n != 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            count += 1
        steps[i] = count


PTX = [(collatz, "(int64[::1], int64[::1])")]


def run():
    x = np.arange(1, 101)
    check(collatz, 4, 32, x, np.zeros_like(x))
