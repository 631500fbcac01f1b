# A number assigned to a whole record.
# ERROR TypingError 11:12
# TWIN 11:     r[0] = r[1]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(r):
    r[0] = 5


def run():
    kernel[1, 1](np.zeros(4, [("x", "f4"), ("y", "f4")]))


# MESSAGE
# record_from_number.py:11:12: error: only a record of the same dtype can be assigned to a record
#   11 |     r[0] = 5
#      |            ^
#   found:    int64
#   expected: Record(x: float32, y: float32)
#   help:     assign its fields one by one
