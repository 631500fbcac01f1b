# An attribute that the grid group does not have.
# ERROR TypingError 11:5
# TWIN 11:     cuda.cg.this_grid().sync()
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    cuda.cg.this_grid().wait()


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# grid_group_other.py:11:5: error: cuda.cg.grid_group has no attribute 'wait' that can be used in a kernel
#   11 |     cuda.cg.this_grid().wait()
#      |     ^~~~~~~~~~~~~~~~~~~~~~~~
