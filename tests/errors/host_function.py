# A function of the host in a kernel.
# ERROR TypingError 11:5
# TWIN 11:     cuda.syncthreads()
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    cuda.synchronize()


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# host_function.py:11:5: error: 'synchronize' belongs to the host: kernels cannot call it
#   11 |     cuda.synchronize()
#      |     ^~~~~~~~~~~~~~~~
#   help:     in a kernel, cuda.syncthreads() waits for the threads of the block; the host waits for kernels
