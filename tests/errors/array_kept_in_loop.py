# An array that a loop makes, kept in another variable when the loop makes it again.
# ERROR UnsupportedError 13:9
# TWIN 13:         old[:] = new
import numpy as np
from treadle import cuda


@cuda.jit
def kernel(out):
    old = np.zeros(3)
    for i in range(3):
        new = np.full(3, old[0] + i)
        old = new
    out[0] = old[0]


def run():
    kernel[1, 1](np.zeros(1))


# MESSAGE
# array_kept_in_loop.py:13:9: error: 'old' may be used after the loop has made the array anew
#   13 |         old = new
#      |         ^~~
#   found:    the array made in line 12
#   help:     kernels have one array for each place that makes one: make as many as are in use before the loop, and fill, copy (kept[:] = new) or swap them (a, b = b, a) in it
