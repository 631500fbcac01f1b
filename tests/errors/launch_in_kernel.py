# A kernel launched by a kernel.
# ERROR TypingError 16:5
# TWIN 16:     child(x)
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def child(x):
    x[0] = 1


@cuda.jit
def kernel(x, out):
    child[1, 1](x)


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# launch_in_kernel.py:16:5: error: this cannot be indexed
#   16 |     child[1, 1](x)
#      |     ^~~~~~~~~~~
#   found:    function child
#   expected: an array or a tuple
#   help:     call it: child(...); launches, child[grid, block](...), belong to the host
