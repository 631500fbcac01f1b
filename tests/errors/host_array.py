# A device array made in a kernel.
# ERROR TypingError 11:12
# TWIN 11:     made = cuda.local.array(3, np.float64)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    made = cuda.device_array(3)


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# host_array.py:11:12: error: 'device_array' belongs to the host: kernels cannot call it
#   11 |     made = cuda.device_array(3)
#      |            ^~~~~~~~~~~~~~~~~
#   help:     in a kernel, cuda.local.array and cuda.shared.array make arrays
