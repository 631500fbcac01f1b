# A misspelt dtype.
# ERROR TypingError 11:34
# TWIN 11:     tile = cuda.shared.array(32, "float32")
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    tile = cuda.shared.array(32, "flaot32")


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# dtype_misspelt.py:11:34: error: the dtype of cuda.shared.array() must be a type
#   11 |     tile = cuda.shared.array(32, "flaot32")
#      |                                  ^~~~~~~~~
#   found:    'flaot32'
#   expected: a number type, such as float32, or a structured dtype
#   help:     did you mean 'float32'?
