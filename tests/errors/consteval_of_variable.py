# What Python is to compute depends on a value that is known only at run time.
# ERROR ConstantInferenceError 12:14
# TWIN 12:     out[i] = consteval(out.ndim + 1)
from treadle import cuda
from treadle.cuda.experimental import consteval
import numpy as np


@cuda.jit
def kernel(out):
    i = cuda.grid(1)
    out[i] = consteval(i + 1)


def run():
    kernel[1, 4](np.zeros(4))


# MESSAGE
# consteval_of_variable.py:12:14: error: 'i' is known only at run time
#   12 |     out[i] = consteval(i + 1)
#      |              ^~~~~~~~~~~~~~~~
#   help:     consteval() sees globals, closure variables, builtins, and variables whose values are known while compiling; of others, their types: x.dtype, x.ndim
