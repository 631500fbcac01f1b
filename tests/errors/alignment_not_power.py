# An alignment that is not a power of two.
# ERROR TypingError 11:45
# TWIN 11:     cuda.shared.array(8, float32, alignment=16)[0] = 1
import numpy as np

from treadle import cuda, float32


@cuda.jit
def kernel(out):
    cuda.shared.array(8, float32, alignment=12)[0] = 1
    out[0] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# alignment_not_power.py:11:45: error: an alignment must be a power of two
#   11 |     cuda.shared.array(8, float32, alignment=12)[0] = 1
#      |                                             ^~
#   found:    12
#   expected: 1 to 512 bytes, known while compiling
