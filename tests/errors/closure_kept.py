# A nested function kept under another name, whose variable changes: Python would see the later value.
# ERROR UnsupportedError 16:5
# TWIN 17:     pass
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    n = 1

    def f():
        return n

    g = f
    n = 2
    out[0] = g()


def run():
    kernel[1, 1](np.zeros(1))


# MESSAGE
# closure_kept.py:16:5: error: a nested function that uses 'n', which is assigned more than once, cannot be kept in a variable
#   16 |     g = f
#      |     ^
#   help:     call it by its own name, or hand it on as an argument
