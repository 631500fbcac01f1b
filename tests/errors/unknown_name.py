# An undefined name that is similar to a defined one.
# ERROR NotDefinedError 16:18
# TWIN 16:         out[i] = SCALE * x[i]
import numpy as np

from treadle import cuda


SCALE = 2.0


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = SCAEL * x[i]


def run():
    kernel[1, 32](np.ones(4), np.zeros(4))


# MESSAGE
# unknown_name.py:16:18: error: the name 'SCAEL' is not defined
#   16 |         out[i] = SCAEL * x[i]
#      |                  ^~~~~
#   help:     define it before the kernel is first launched, or pass it as an argument
