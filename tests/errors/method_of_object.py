# A method of a Python object.
# ERROR TypingError 21:14
# TWIN 21:     out[0] = box.value
import numpy as np

from treadle import cuda


class Box:
    value = 3

    def get(self):
        return self.value


box = Box()


@cuda.jit
def kernel(x, out):
    out[0] = box.get()


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# method_of_object.py:21:14: error: 'get' is a method of a Python object, and kernels can only call device functions
#   21 |     out[0] = box.get()
#      |              ^~~~~~~
#   help:     write a device function, under @cuda.jit(device=True), that takes what the method reads as arguments
