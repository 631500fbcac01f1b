# A record as the target of `+=`.
# ERROR UnsupportedError 11:5
# TWIN 11:     r[0].x += 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(r):
    r[0] += 1


def run():
    kernel[1, 1](np.zeros(4, [("x", "f4"), ("y", "f4")]))


# MESSAGE
# record_changed_as_whole.py:11:5: error: a record cannot be changed as a whole
#   11 |     r[0] += 1
#      |     ^~~~
#   help:     change its fields
