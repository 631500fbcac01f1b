# A number indexed like an array.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = n
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    out[0] = n[0]


def run():
    kernel[1, 1](4, np.zeros(4))


# MESSAGE
# index_of_number.py:11:14: error: this cannot be indexed
#   11 |     out[0] = n[0]
#      |              ^~~~
#   found:    int64
#   expected: an array or a tuple
