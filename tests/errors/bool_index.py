# A bool as an index.
# ERROR TypingError 12:16
# TWIN 12:     out[i] = x[int(i > 2)]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    out[i] = x[i > 2]


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# bool_index.py:12:16: error: an index must be an integer
#   12 |     out[i] = x[i > 2]
#      |                ^~~~~
#   found:    bool
#   expected: an integer
#   help:     convert it: int(...)
