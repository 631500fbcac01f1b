"""Cases: random numbers and reductions of numba-cuda and of Treadle, from the same seeds and elements."""

import types

import numpy as np
from numba import cuda as theirs
from numba.cuda import random as their_random
from treadle import cuda
from treadle.cuda import random as our_random

from numba_launches.cases import case

COUNT, DRAWS = 40, 5
EXACT = {
    "xoroshiro128p_next": np.uint64,
    "xoroshiro128p_uniform_float32": np.float32,
    "xoroshiro128p_uniform_float64": np.float64,
}
NORMAL = {"xoroshiro128p_normal_float32": np.float32, "xoroshiro128p_normal_float64": np.float64}
SEEDS = [(0, 0), (1, 3), (-5, 0), (2**63 - 1, 1), (1.75, 0)]


def drawn_by_kernel(package, module, name):
    """The numbers that a kernel draws from states of one seed, and the states afterwards."""
    function = getattr(module, name)

    @package.jit
    def draw(states, out):
        i = package.grid(1)
        if i < out.shape[1]:
            for k in range(out.shape[0]):
                out[k, i] = function(states, i)

    states = module.create_xoroshiro128p_states(COUNT, seed=11)
    out = package.to_device(np.zeros((DRAWS, COUNT), (EXACT | NORMAL)[name]))
    draw[2, 32](states, out)
    return out.copy_to_host(), states.copy_to_host()


def drawn_on_the_host(function, dtype):
    states = our_random.create_xoroshiro128p_states(COUNT, seed=11).copy_to_host()
    with np.errstate(over="ignore"):
        return np.array([[function(states, i) for i in range(COUNT)] for _ in range(DRAWS)], dtype), states


@case
def random_states():
    for seed, start in SEEDS:
        ours = our_random.create_xoroshiro128p_states(COUNT, seed, start).copy_to_host()
        found = their_random.create_xoroshiro128p_states(COUNT, seed, start).copy_to_host()
        np.testing.assert_array_equal(ours, found)


@case
def random_bits_in_kernels():
    for name in EXACT:
        ours, theirs_too = drawn_by_kernel(cuda, our_random, name), drawn_by_kernel(theirs, their_random, name)
        for mine, other in zip(ours, theirs_too, strict=True):
            np.testing.assert_array_equal(mine, other, name)


def their_python_functions():
    """Their module's functions as Python runs them on NumPy's numbers, calling each other."""
    names = dict(vars(their_random))
    for name, function in vars(their_random).items():
        if hasattr(function, "py_func"):
            names[name] = types.FunctionType(function.py_func.__code__, names)
    return names


@case
def random_bits_of_their_python_functions():
    """As Numba compiles them for the host, and as Python runs them."""
    python = their_python_functions()
    for name, dtype in EXACT.items():
        ours, after = drawn_by_kernel(cuda, our_random, name)
        for one in (getattr(their_random, name), python[name]):
            found, states = drawn_on_the_host(one, dtype)
            np.testing.assert_array_equal(ours, found, name)
            np.testing.assert_array_equal(after, states, name)


@case
def random_normal_numbers():
    """Up to the errors of the logarithm and the cosine."""
    for name in NORMAL:
        ours, after = drawn_by_kernel(cuda, our_random, name)
        found, states = drawn_by_kernel(theirs, their_random, name)
        np.testing.assert_array_equal(after, states, name)
        np.testing.assert_allclose(ours, found, rtol=2e-6 if ours.dtype == np.float32 else 3e-7, atol=1e-6)


@case
def random_jumps():
    states = our_random.create_xoroshiro128p_states(COUNT, 2).copy_to_host()

    @cuda.jit
    def jump(states):
        i = cuda.grid(1)
        if i < states.size:
            our_random.xoroshiro128p_jump(states, i)

    device = cuda.to_device(states)
    jump[2, 32](device)
    for i in range(COUNT):
        their_random.xoroshiro128p_jump(states, i)
    np.testing.assert_array_equal(device.copy_to_host(), states)


@case
def reductions_beside_ours():
    """The same function, dtype of the result and part that the initial value takes."""
    for dtype in ("int32", "float64", "complex128"):
        ours, others = cuda.reduce(lambda a, b: a + b), theirs.reduce(lambda a, b: a + b)
        for size in (0, 1, 100, 129, 20_000):
            x = np.arange(size).astype(dtype)
            for init in (0, 7):
                found, expected = ours(x, init=init), others(theirs.to_device(x), init=init)
                assert type(found) is type(expected) and found == expected, (dtype, size, init)
            if size:  # numba-cuda cannot slice an empty array
                assert ours(x, size=size // 2) == others(theirs.to_device(x), size=size // 2), (dtype, size)
