# A field selected by a number that is known only at run time.
# ERROR TypingError 11:19
# TWIN 11:     r[0].x = r[1][1]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(r, n):
    r[0].x = r[1][n]


def run():
    kernel[1, 1](np.zeros(4, [("x", "f4"), ("y", "f4")]), 1)


# MESSAGE
# record_field_by_variable.py:11:19: error: a field is chosen by its name, or by its position known while compiling
#   11 |     r[0].x = r[1][n]
#      |                   ^
#   found:    a value known only at run time
#   expected: a field of Record(x: float32, y: float32)
