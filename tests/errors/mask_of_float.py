# A lane mask that is a float.
# ERROR TypingError 11:31
# TWIN 11:     out[0] = cuda.ballot_sync(1, True)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = cuda.ballot_sync(1.0, True)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# mask_of_float.py:11:31: error: this cannot be an argument of cuda.ballot_sync()
#   11 |     out[0] = cuda.ballot_sync(1.0, True)
#      |                               ^~~
#   found:    float64
#   expected: an integer with a bit for each lane
