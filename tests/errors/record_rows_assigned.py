# Several records assigned by a slice.
# ERROR UnsupportedError 11:5
# TWIN 11:     r[0] = r[2]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(r):
    r[:2] = r[2:]


def run():
    kernel[1, 1](np.zeros(4, [("x", "f4"), ("y", "f4")]))


# MESSAGE
# record_rows_assigned.py:11:5: error: several records cannot be assigned at once
#   11 |     r[:2] = r[2:]
#      |     ^~~~~
#   help:     assign them one by one in a loop
