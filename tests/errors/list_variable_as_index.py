# A variable that is a list as an index.
# ERROR UnsupportedError 12:17
# TWIN 12:     out[:2] = x[rows[0]]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    rows = [2, 1]
    out[:2] = x[rows]


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# list_variable_as_index.py:12:17: error: a list cannot be an index: NumPy would take the rows that it names
#   12 |     out[:2] = x[rows]
#      |                 ^~~~
#   help:     write a tuple for one element, m[i, j]; index in a loop, or with an array of integers, for rows
