# A coroutine as a kernel.
# ERROR UnsupportedError 10:1
# TWIN 10: def kernel(out):
import numpy as np

from treadle import cuda


@cuda.jit
async def kernel(out):
    out[0] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# async_function.py:10:1: error: an async function cannot be used in a kernel
#   10 | async def kernel(out):
#      | ^~~~~~~~~~~~~~~~~~~~~~
#   help:     write a plain `def`; launches do not wait anyway
