# del applied to an element.
# ERROR UnsupportedError 13:9
# TWIN 13:     value = 0
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    value = x[0]
    out[0] = value
    del x[0]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# delete_statement.py:13:9: error: del of anything but a name cannot be used in a kernel
#   13 |     del x[0]
#      |         ^~~~
#   help:     elements of arrays cannot be removed
