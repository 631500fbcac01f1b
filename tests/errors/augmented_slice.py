# A slice modified in place.
# ERROR UnsupportedError 11:5
# TWIN 11:     out[1] += 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[1:3] += 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# augmented_slice.py:11:5: error: a slice of an array cannot be changed as a whole
#   11 |     out[1:3] += 1
#      |     ^~~~~~~~
#   help:     change its elements in a loop
