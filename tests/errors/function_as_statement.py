# The name of a function as a statement, where a call is meant.
# ERROR TypingError 11:5
# TWIN 11:     cuda.syncthreads()
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    cuda.syncthreads


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# function_as_statement.py:11:5: error: this statement names a function, and does not call it
#   11 |     cuda.syncthreads
#      |     ^~~~~~~~~~~~~~~~
#   found:    function cuda.syncthreads
#   help:     write parentheses to call a function: cuda.syncthreads(...)
