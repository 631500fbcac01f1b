# Constant memory from an array that is known only at run time.
# ERROR TypingError 11:36
# TWIN 11:     out[0] = len(out)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = cuda.const.array_like(out)[0]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# const_of_parameter.py:11:36: error: cuda.const.array_like() needs an array whose contents are known while compiling
#   11 |     out[0] = cuda.const.array_like(out)[0]
#      |                                    ^~~
#   found:    array(float64, 1d, C)
#   expected: a NumPy array that is a global or a captured variable
#   help:     name the array itself, not a parameter or a variable that holds it
