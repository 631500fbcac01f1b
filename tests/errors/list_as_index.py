# A list as an index, which NumPy takes for rows.
# ERROR UnsupportedError 11:9
# TWIN 11:     out[0:2] = 3.0
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[[0, 1]] = 3.0


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# list_as_index.py:11:9: error: a list cannot be an index: NumPy would take the rows that it names
#   11 |     out[[0, 1]] = 3.0
#      |         ^~~~~~
#   help:     write a tuple for one element, m[i, j]; index in a loop, or with an array of integers, for rows
