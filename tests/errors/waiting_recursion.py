# A function that calls itself until another thread writes: the levels do not yield.
# ERROR RecursionError 0:0
# TWIN 12:         pass
import numpy as np

from treadle import cuda


@cuda.jit
def wait(flag):
    while flag[0] != 7:
        wait(flag)


@cuda.jit
def kernel(flag):
    if cuda.grid(1) == 0:
        wait(flag)
    elif cuda.grid(1) == 32:
        flag[0] = 7


def run():
    kernel[1, 64](np.zeros(1, np.int64))


# MESSAGE
# kernel (waiting_recursion.py): a recursion is too deep for the thread's stack in line 10, column 1 of wait (waiting_recursion.py)
