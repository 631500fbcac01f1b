# An f-string with a value of run time, which has no length.
# ERROR TypingError 12:18
# TWIN 11:     text = "x"
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    text = f"{x[0]}"
    out[0] = len(text)


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# format_string.py:12:18: error: this cannot be an argument of len()
#   12 |     out[0] = len(text)
#      |                  ^~~~
#   found:    f-string
#   expected: an array with at least one axis, or a tuple
#   help:     an f-string with values known only at run time can only be printed
