# Python's random numbers.
# ERROR TypingError 13:14
# TWIN 13:     out[0] = random.BPF
import random

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = random.random()


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# random_of_python.py:13:14: error: 'Random.random' is not a function of kernels
#   13 |     out[0] = random.random()
#      |              ^~~~~~~~~~~~~
#   help:     cuda.random has the random numbers of kernels: xoroshiro128p_uniform_float32(states, i), and create_xoroshiro128p_states on the host for the states
