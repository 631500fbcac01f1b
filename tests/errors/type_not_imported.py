# A number type that the module does not import.
# ERROR NotDefinedError 11:12
# TWIN 11:     x[0] = np.float32(2)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x):
    x[0] = float32(2)


def run():
    kernel[1, 1](np.ones(4))


# MESSAGE
# type_not_imported.py:11:12: error: the name 'float32' is not defined
#   11 |     x[0] = float32(2)
#      |            ^~~~~~~
#   help:     import it: from treadle import float32
