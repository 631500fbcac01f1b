# A captured object of a class that kernels do not support.
# ERROR TypingError 18:14
# TWIN 13: SETTINGS = Settings
import numpy as np

from treadle import cuda


class Settings:
    border = 3


SETTINGS = {"border": 3}


@cuda.jit
def kernel(out):
    out[0] = SETTINGS.border


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# unsupported_global.py:18:14: error: object dict has no attribute 'border' that can be used in a kernel
#   18 |     out[0] = SETTINGS.border
#      |              ^~~~~~~~~~~~~~~
