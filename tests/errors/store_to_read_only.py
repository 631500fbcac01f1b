# A store to a read-only array.
# ERROR TypingError 11:5
# TWIN 11:     out[0] = x[0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    x[0] = 1
    out[1] = 2


def run():
    x = np.zeros(4)
    x.flags.writeable = False
    kernel[1, 1](x, np.zeros(4))


# MESSAGE
# store_to_read_only.py:11:5: error: this array is read-only
#   11 |     x[0] = 1
#      |     ^~~~
#   found:    readonly array(float64, 1d, C)
#   expected: an array that can be written
#   help:     pass a writable array; arrays captured from outside the kernel are constants
