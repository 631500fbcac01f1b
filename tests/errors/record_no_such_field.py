# A field that the record does not have.
# ERROR TypingError 12:19
# TWIN 12:     r[0].x = r[0].mass
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(r):
    i = 0
    r[i].x = r[i]["mas"]


def run():
    kernel[1, 1](np.zeros(4, [("x", "f4"), ("mass", "f4")]))


# MESSAGE
# record_no_such_field.py:12:19: error: the record has no field of this name
#   12 |     r[i].x = r[i]["mas"]
#      |                   ^~~~~
#   found:    'mas'
#   expected: a field of Record(x: float32, mass: float32)
#   help:     did you mean 'mass'?
