# An attribute that arrays do not have.
# ERROR NumbaAttributeError 11:14
# TWIN 11:     out[0] = x.shape[0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x.shap[0]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))
