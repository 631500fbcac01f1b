# An exception with a value that is known only at run time.
# ERROR UnsupportedError 12:26
# TWIN 12:         raise ValueError("too large")
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    if out[0] > 1:
        raise ValueError(out[0])


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# raise_run_time_value.py:12:26: error: what an exception is raised with must be known while compiling
#   12 |         raise ValueError(out[0])
#      |                          ^~~~~~
#   found:    float64, known only at run time
#   expected: strings, numbers or None that are constant
#   help:     print() the value before, or store it into an array
