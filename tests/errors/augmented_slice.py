# A tuple added to a slice.
# ERROR TypingError 11:17
# TWIN 11:     out[1:3] += 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[1:3] += (1, 2)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# augmented_slice.py:11:17: error: this cannot be an operand beside an array: UniTuple(int64 x 2)
#   11 |     out[1:3] += (1, 2)
#      |                 ^~~~~~
