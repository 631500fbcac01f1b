# NumPy's random numbers.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = np.sqrt(x[0])
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = np.random.rand()


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# random_of_numpy.py:11:14: error: 'RandomState.rand' is not a function of kernels
#   11 |     out[0] = np.random.rand()
#      |              ^~~~~~~~~~~~~~
#   help:     cuda.random has the random numbers of kernels: xoroshiro128p_uniform_float32(states, i), and create_xoroshiro128p_states on the host for the states
