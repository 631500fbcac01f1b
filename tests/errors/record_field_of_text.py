# A field whose dtype kernels do not support.
# ERROR UnsupportedError 11:14
# TWIN 11:     r[0].x = r[0].y
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(r):
    r[0].x = r[0].name


def run():
    kernel[1, 1](np.zeros(4, [("x", "f4"), ("y", "f4"), ("name", "S500")]))


# MESSAGE
# record_field_of_text.py:11:14: error: field 'name' has dtype S500, which kernels do not have
#   11 |     r[0].x = r[0].name
#      |              ^~~~~~~~~
#   help:     use fields of numbers, arrays of them, and records
