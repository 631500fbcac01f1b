# A text that is made by %.
# ERROR TypingError 11:11
# TWIN 11:     print(f"{x[0]}")
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    print("%d" % x[0])


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# percent_format.py:11:11: error: the operator % is not defined for these types
#   11 |     print("%d" % x[0])
#      |           ^~~~~~~~~~~
#   found:    str % float64
#   help:     give print() the values themselves, print("x =", x), or write an f-string: f"x = {x}"
