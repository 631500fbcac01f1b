# An attribute that arrays do not have.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = x.shape[0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x.shap[0]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# unknown_array_attribute.py:11:14: error: array(float64, 1d, C) has no attribute 'shap' that can be used in a kernel
#   11 |     out[0] = x.shap[0]
#      |              ^~~~~~
#   help:     did you mean 'shape'?
