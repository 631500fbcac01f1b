# A tuple of mixed types, indexed at run time.
# ERROR TypingError 13:14
# TWIN 12:     mixed = (1.0, 2.5, 3.0)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    mixed = (1, 2.5, x)
    out[i] = mixed[i]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# mixed_tuple_index.py:13:14: error: a tuple of several types needs an index that is known while compiling
#   13 |     out[i] = mixed[i]
#      |              ^~~~~~~~
#   found:    Tuple(int64, float64, array(float64, 1d, C))
#   expected: a tuple of one type, or a literal index
#   help:     loop over the tuple itself: for item in ...
