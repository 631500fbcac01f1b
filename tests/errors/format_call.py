# A string built by a method.
# ERROR TypingError 11:12
# TWIN 11:     text = "{}"
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    text = "{}".format(x[0])
    out[0] = len(text)


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# format_call.py:11:12: error: str has no attribute 'format' that can be used in a kernel
#   11 |     text = "{}".format(x[0])
#      |            ^~~~~~~~~~~
