# numba-cuda's creation of random states: its function for the host, one state after the other.
import platform

import numba
import numba_cuda
import numpy as np
from numba.cuda import random


def versions():
    return f"numba-cuda {numba_cuda.__version__}, Numba {numba.__version__}, Python {platform.python_version()}"


def open_case(name):
    return Create(int(name))


class Create:
    """What create_xoroshiro128p_states does before it copies the states to the GPU."""

    def __init__(self, count):
        self.states = np.empty(count, random.xoroshiro128p_dtype)

    def run(self):
        random.init_xoroshiro128p_states_cpu(self.states, 1, 0)
