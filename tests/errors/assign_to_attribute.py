# Attributes of arrays are read-only.
# ERROR UnsupportedError 11:5
# TWIN 11:     size = 3
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    x.size = 3
    out[0] = x.size


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# assign_to_attribute.py:11:5: error: an attribute cannot be assigned
#   11 |     x.size = 3
#      |     ^~~~~~
#   help:     assign a variable or an element
