# A recursive function that contains a barrier.
# ERROR UnsupportedError 14:16
# TWIN 12:     out[n] = n + 1
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def wait(n, out):
    out[n] = n
    cuda.syncthreads()
    if n > 0:
        return wait(n - 1, out)
    return n


@cuda.jit
def kernel(out):
    out[0] = wait(3, out)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# recursion_through_barrier.py:14:16: error: recursion through a barrier: 'wait' calls itself, and waits for other threads
#   14 |         return wait(n - 1, out)
#      |                ^~~~~~~~~~~~~~~~
#   help:     wait in the kernel, or write the recursion as a loop
#   called from recursion_through_barrier.py:20:14 in kernel
