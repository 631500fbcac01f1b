# forall of a negative number of tasks.
# ERROR ValueError 0:0
# TWIN 17:     kernel.forall(4)(np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 1


def run():
    kernel.forall(-1)(np.zeros(4))


# MESSAGE
# cannot launch for a negative number of tasks: -1
