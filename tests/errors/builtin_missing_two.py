# A warp function with a later argument by its name, and two missing before it.
# ERROR NumbaTypeError 10:14
# TWIN 10:     out[0] = cuda.shfl_sync(0xFFFFFFFF, 1, src_lane=1)
import numpy as np
from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = cuda.shfl_sync(src_lane=1)


def run():
    kernel[1, 32](np.zeros(4))


# MESSAGE
# builtin_missing_two.py:10:14: error: cuda.shfl_sync() takes 3 to 4 arguments (mask, value, src_lane, width)
#   10 |     out[0] = cuda.shfl_sync(src_lane=1)
#      |              ^~~~~~~~~~~~~~~~~~~~~~~~~~
#   found:    1 argument
