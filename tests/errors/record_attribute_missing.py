# An assignment to an attribute that is not a field of the record.
# ERROR TypingError 11:5
# TWIN 11:     r[0].mass = 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(r):
    r[0].mas = 1


def run():
    kernel[1, 1](np.zeros(4, [("x", "f4"), ("mass", "f4")]))


# MESSAGE
# record_attribute_missing.py:11:5: error: Record(x: float32, mass: float32) has no attribute 'mas' that can be used in a kernel
#   11 |     r[0].mas = 1
#      |     ^~~~~~~~
#   help:     did you mean 'mass'?
