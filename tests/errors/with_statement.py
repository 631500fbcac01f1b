# A with statement.
# ERROR UnsupportedError 11:5
# TWIN 11:     if lock:
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(lock, out):
    with lock:
        out[0] = 1


def run():
    kernel[1, 1](True, np.zeros(4))


# MESSAGE
# with_statement.py:11:5: error: a with statement cannot be used in a kernel
#   11 |     with lock:
#      |     ^~~~~~~~~~
#   help:     open and close resources on the host, around the launch
