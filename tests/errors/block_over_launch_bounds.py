# A block with more threads than the kernel's launch bounds, on which its code relies.
# ERROR ValueError 0:0
# TWIN 15:     kernel[2, (8, 8)](np.zeros(128))
import numpy as np

from treadle import cuda


@cuda.jit(launch_bounds=(64, 2))
def kernel(out):
    out[cuda.grid(1)] = 1


def run():
    kernel[2, (8, 9)](np.zeros(144))


# MESSAGE
# launch configuration: a block of 8 x 9 x 1 has 72 threads; the kernel's launch_bounds allow 64
