# The name of a device function as a statement.
# ERROR TypingError 16:5
# TWIN 16:     mark(x)
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def mark(x):
    x[0] = 1


@cuda.jit
def kernel(x, out):
    mark


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# device_function_as_statement.py:16:5: error: this statement names a function, and does not call it
#   16 |     mark
#      |     ^~~~
#   found:    function mark
#   help:     write parentheses to call a function: mark(...)
