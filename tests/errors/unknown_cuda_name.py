# A name that cuda does not have.
# ERROR TypingError 11:9
# TWIN 11:     i = cuda.threadIdx.x
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    i = cuda.threadId.x
    out[i] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# unknown_cuda_name.py:11:9: error: module treadle.cuda has no attribute 'threadId' that can be used in a kernel
#   11 |     i = cuda.threadId.x
#      |         ^~~~~~~~~~~~~
#   help:     did you mean 'threadIdx'?
