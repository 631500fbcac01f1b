# A variable that changes from a number to a tuple in a loop.
# ERROR TypingError 14:9
# TWIN 14:         state = state + k
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    state = 1
    for k in range(3):
        out[k] = state
        state = (state, k)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# incompatible_loop_variable.py:14:9: error: 'state' has types that do not go together
#   14 |         state = (state, k)
#      |         ^~~~~
#   found:    UniTuple(int64 x 2) here, int64 in line 11
#   expected: one type, or numbers, which are widened
#   help:     use another name for one of the two
