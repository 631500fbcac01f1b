# jit of an object that is not a function.
# ERROR TypeError 0:0
# TWIN 9: kernel = cuda.jit(lambda out: None)
import numpy as np

from treadle import cuda


kernel = cuda.jit(3)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# cuda.jit compiles Python functions, found 3 of type int
