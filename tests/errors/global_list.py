# A list of the module.
# ERROR TypingError 14:14
# TWIN 8: STEPS = (1, 2, 4)
import numpy as np

from treadle import cuda

STEPS = [1, 2, 4]


@cuda.jit
def kernel(out):
    i = cuda.grid(1)
    out[i] = STEPS[i % 3]


def run():
    kernel[1, 4](np.zeros(4))


# MESSAGE
# global_list.py:14:14: error: this cannot be indexed
#   14 |     out[i] = STEPS[i % 3]
#      |              ^~~~~~~~~~~~
#   found:    object list
#   expected: an array or a tuple
#   help:     capture a tuple, tuple(...), or an array, np.array(...)
