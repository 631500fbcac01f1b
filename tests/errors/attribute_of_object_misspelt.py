# A misspelt attribute of a Python object.
# ERROR TypingError 18:14
# TWIN 18:     out[0] = box.length
import numpy as np

from treadle import cuda


class Box:
    length = 3


box = Box()


@cuda.jit
def kernel(x, out):
    out[0] = box.lenght


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# attribute_of_object_misspelt.py:18:14: error: object Box has no attribute 'lenght' that can be used in a kernel
#   18 |     out[0] = box.lenght
#      |              ^~~~~~~~~~
#   help:     did you mean 'length'?
