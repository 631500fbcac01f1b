# A local that is used before any assignment.
# ERROR TypingError 12:9
# TWIN 12:         total = x[k]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    for k in range(x.size):
        total += x[k]
    out[0] = total


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# never_assigned.py:12:9: error: the type of 'total' cannot be found: it depends on itself alone
#   12 |         total += x[k]
#      |         ^~~~~
#   help:     give it a value before the loop
