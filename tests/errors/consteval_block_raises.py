# Python raises an exception in a block that runs while compiling.
# ERROR NumbaValueError 14:9
# TWIN 14:         width = SIZES["large"]
import numpy as np
from treadle import cuda
from treadle.cuda.experimental import consteval

SIZES = {"large": 3}


@cuda.jit
def kernel(out):
    with consteval():
        width = SIZES["small"]
    out[0] = width


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# consteval_block_raises.py:14:9: error: consteval() has raised KeyError: 'small'
#   14 |         width = SIZES["small"]
#      |         ^~~~~~~~~~~~~~~~~~~~~~
#   help:     Python runs this code while the kernel is compiled
