# A mistake inside a device function, two calls deep.
# ERROR TypingError 11:12
# TWIN 21:     out[0] = outer(x, 1)
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def inner(a, k):
    return a[k] * 2


@cuda.jit(device=True)
def outer(a, k):
    return inner(a, k) + 1


@cuda.jit
def kernel(x, out):
    out[0] = outer(x[0], 1)


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# mistake_in_device_function.py:11:12: error: this cannot be indexed
#   11 |     return a[k] * 2
#      |            ^~~~
#   found:    float64
#   expected: an array or a tuple
#   called from mistake_in_device_function.py:16:12 in outer
#   called from mistake_in_device_function.py:21:14 in kernel
