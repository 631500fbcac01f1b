"""Random numbers in kernels: a xoroshiro128+ generator for each thread, with the numbers of `numba.cuda.random`.

A state is a record of `xoroshiro128p_dtype`. `create_xoroshiro128p_states` makes an array of them, and kernels call the
functions that draw, with that array and the position of the thread's own state in it:

>>> import numpy
>>> from treadle import cuda
>>> from treadle.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
>>> @cuda.jit
... def draw(states, out):
...     i = cuda.grid(1)
...     if i < out.size:
...         out[i] = xoroshiro128p_uniform_float32(states, i)
>>> out = numpy.empty(4, numpy.float32)
>>> draw[1, 4](create_xoroshiro128p_states(4, seed=1), out)
>>> [round(float(x), 3) for x in out]
[0.133, 0.876, 0.871, 0.937]

Equal seeds give equal states, and equal uniform numbers, on every device and with Numba. Normal numbers go through the
logarithm and the cosine of the device, and agree within their errors.

The generator is Blackman's and Vigna's xoroshiro128+ with the rotations 55, 14 and 36. Its steps are linear over GF(2),
so that a jump is a polynomial in one step: 128 bits, modulo the characteristic polynomial of the step.
"""

import math

import numpy as np

from treadle.devices.new_arrays import device_array, to_device
from treadle.intrinsics import grid
from treadle.kernels.jit import jit
from treadle.types import float32, float64, from_dtype, uint64

__all__ = [
    "create_xoroshiro128p_states", "init_xoroshiro128p_state", "init_xoroshiro128p_states", "xoroshiro128p_dtype",
    "xoroshiro128p_jump", "xoroshiro128p_next", "xoroshiro128p_normal_float32", "xoroshiro128p_normal_float64",
    "xoroshiro128p_type", "xoroshiro128p_uniform_float32", "xoroshiro128p_uniform_float64",
]  # fmt: skip

xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
"""A state: two words, not both 0."""

xoroshiro128p_type = from_dtype(xoroshiro128p_dtype)
"""Its type in kernels, for signatures and for `cuda.local.array`."""

# --- in kernels ------------------------------------------------------------------------------------------------------

_JUMP_LOW, _JUMP_HIGH = 0xBEAC0467EBA5FACB, 0xD86B048B86AA9922
_TWO_PI = 2 * math.pi
_TWO_PI_FLOAT32 = np.float32(_TWO_PI)
_UNIT = 2.0**-53
_UNIT_FLOAT32 = np.float32(_UNIT)


@jit(device=True)
def _seeded(seed):
    """The first output of SplitMix64 for a seed."""
    z = uint64(seed) + 0x9E3779B97F4A7C15
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB
    return z ^ (z >> 31)


@jit(device=True)
def _stepped(s0, s1):
    """The state after s0, s1."""
    mixed = s0 ^ s1
    return ((s0 << 55) | (s0 >> 9)) ^ mixed ^ (mixed << 14), (mixed << 36) | (mixed >> 28)


@jit(device=True)
def _jumped(s0, s1, low, high):
    """The state that a jump polynomial leads to from s0, s1; bit b of its two words is the coefficient of b steps."""
    sum0 = uint64(0)
    sum1 = uint64(0)
    for bit in range(128):
        word = low if bit < 64 else high
        if (word >> (bit & 63)) & uint64(1):
            sum0 ^= s0
            sum1 ^= s1
        s0, s1 = _stepped(s0, s1)
    return sum0, sum1


@jit(device=True)
def init_xoroshiro128p_state(states, index, seed):
    """In kernels: sets states[index] to the first state of an integer seed, of which the low 64 bits count.

    `create_xoroshiro128p_states` gives states that are far apart; those of two seeds are apart only by chance.
    """
    z = _seeded(seed)
    states[index]["s0"] = z
    states[index]["s1"] = z


@jit(device=True)
def xoroshiro128p_next(states, index):
    """In kernels: the next 64 random bits of states[index], a uint64. Its lowest bits are the least random."""
    s0 = states[index]["s0"]
    s1 = states[index]["s1"]
    states[index]["s0"], states[index]["s1"] = _stepped(s0, s1)
    return s0 + s1


@jit(device=True)
def xoroshiro128p_jump(states, index):
    """In kernels: advances states[index] by 2^64 numbers."""
    s0, s1 = _jumped(states[index]["s0"], states[index]["s1"], uint64(_JUMP_LOW), uint64(_JUMP_HIGH))
    states[index]["s0"] = s0
    states[index]["s1"] = s1


@jit(device=True)
def xoroshiro128p_uniform_float32(states, index):
    """In kernels: the next number of states[index] as a float32 from 0 to 1.

    The upper 53 bits, rounded: one number in 2^25 becomes 1, as with Numba.
    """
    return float32(xoroshiro128p_next(states, index) >> 11) * _UNIT_FLOAT32


@jit(device=True)
def xoroshiro128p_uniform_float64(states, index):
    """In kernels: the next number of states[index] as a float64 from 0 up to but not including 1: the upper 53 bits."""
    return float64(xoroshiro128p_next(states, index) >> 11) * _UNIT


@jit(device=True)
def xoroshiro128p_normal_float32(states, index):
    """In kernels: a float32 with normal distribution, mean 0 and deviation 1, from the next two numbers of
    states[index], by Box and Muller. Infinite for one first number in 2^53, which is 0."""
    radius = xoroshiro128p_uniform_float32(states, index)
    turn = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(float32(-2) * math.log(radius)) * math.cos(_TWO_PI_FLOAT32 * turn)


@jit(device=True)
def xoroshiro128p_normal_float64(states, index):
    """In kernels: as `xoroshiro128p_normal_float32`, in float64.

    Both numbers are drawn, and the logarithm is computed, in float32, as in Numba: the result has about 24 bits.
    """
    radius = xoroshiro128p_uniform_float32(states, index)
    turn = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-2.0 * math.log(radius)) * math.cos(_TWO_PI * turn)


# --- arrays of states ------------------------------------------------------------------------------------------------

_WORD = (1 << 64) - 1
_JUMP = _JUMP_HIGH << 64 | _JUMP_LOW
_CHARACTERISTIC = 0x100653CED7F29F88A5FD66762F0E1C001  # of one step, of degree 128
_THREADS = 64
_MOST_RUNS = 1 << 14


@jit
def _fill(states, table, run_length):
    """Fills the array with states of which each is one jump ahead of the one before. A thread fills a run of them.

    table[0] is the first state, table[1] the jump from one state to the next, table[2 + b] the jump over 2^b runs.
    """
    run = grid(1)
    first = run * run_length
    if first >= states.size:
        return
    s0 = table[0, 0]
    s1 = table[0, 1]
    for level in range(table.shape[0] - 2):
        far0, far1 = _jumped(s0, s1, table[level + 2, 0], table[level + 2, 1])
        if (run >> level) & 1:
            s0 = far0
            s1 = far1
    for k in range(first, min(first + run_length, states.size)):
        states[k]["s0"] = s0
        states[k]["s1"] = s1
        s0, s1 = _jumped(s0, s1, table[1, 0], table[1, 1])


def _reduced(polynomial):
    """The remainder modulo the polynomial of one step."""
    while (excess := polynomial.bit_length() - 129) >= 0:
        polynomial ^= _CHARACTERISTIC << excess
    return polynomial


def _product(a, b):
    """The product of two polynomials, modulo that of one step: both jumps in sequence."""
    product = 0
    while a:
        lowest = a & -a
        product ^= b * lowest
        a ^= lowest
    return _reduced(product)


def _square(polynomial):
    """The same jump twice. Over GF(2) the bits of a polynomial move apart: its binary digits, read in base 4."""
    return _reduced(int(f"{polynomial:b}", 4))


def _power(polynomial, exponent):
    """The polynomial of so many jumps."""
    power = 1
    while exponent:
        if exponent & 1:
            power = _product(power, polynomial)
        polynomial = _square(polynomial)
        exponent >>= 1
    return power


def _state_at(seed, jumps):
    """(s0, s1): the state that so many jumps lead to from that of the seed."""
    z = (seed + 0x9E3779B97F4A7C15) & _WORD
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
    s0 = s1 = z ^ z >> 31
    polynomial, sum0, sum1 = _power(_JUMP, jumps), 0, 0
    while polynomial:
        if polynomial & 1:
            sum0, sum1 = sum0 ^ s0, sum1 ^ s1
        mixed = s0 ^ s1
        s0, s1 = (s0 << 55 | s0 >> 9) & _WORD ^ mixed ^ mixed << 14 & _WORD, (mixed << 36 | mixed >> 28) & _WORD
        polynomial >>= 1
    return sum0, sum1


def _table(first, run_length, runs):
    """The table for `_fill`, a uint64 array of shape (2 + levels, 2)."""
    words = [first, (_JUMP_LOW, _JUMP_HIGH)]
    jump = _power(_JUMP, run_length)
    for _ in range((runs - 1).bit_length()):
        words.append((jump & _WORD, jump >> 64))
        jump = _square(jump)
    return np.array(words, np.uint64)


def _word(name, value, least):
    """An integer of 64 bits, or a float without its fraction, as in Numba."""
    try:
        number = int(value) if isinstance(value, (float, np.floating)) else value.__index__()
    except (AttributeError, ValueError):
        raise TypeError(f"{name} must be an integer, found {value!r}") from None
    if not least <= number <= _WORD:
        kind = ValueError if number < 0 else OverflowError
        raise kind(f"{name} must be from {least} to 2**64 - 1, found {number}")
    return number & _WORD


def init_xoroshiro128p_states(states, seed, subsequence_start=0, stream=0):
    """Sets the states of an array: each is 2^64 numbers ahead of the one before, so that what they draw never overlaps.

    `states`: a device array of one dimension (else ValueError) and `xoroshiro128p_dtype` (else TypeError). `seed`: an
    integer of 64 bits (else OverflowError, TypeError). `subsequence_start`: how many times 2^64 numbers the first state
    is ahead of that of the seed, so that arrays made one after the other can share a seed. `stream`: where the kernel
    that sets them is launched.
    """
    if not hasattr(states, "dtype") or states.dtype != xoroshiro128p_dtype:
        found = getattr(states, "dtype", type(states).__name__)
        raise TypeError(f"states must be an array of xoroshiro128p_dtype, found {found}")
    if states.ndim != 1:
        raise ValueError(f"states must be an array of one dimension, found shape {states.shape}")
    first = _state_at(_word("seed", seed, -(1 << 63)), _word("subsequence_start", subsequence_start, 0))
    if states.size == 0:
        return
    run_length = max(8, -(-states.size // _MOST_RUNS))
    runs = -(-states.size // run_length)
    table = to_device(_table(first, run_length, runs), stream=stream)
    _fill[-(-runs // _THREADS), _THREADS, stream](states, table, run_length)


def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0):
    """A new device array of `n` states of `xoroshiro128p_dtype`, set by `init_xoroshiro128p_states`, whose arguments it
    takes. Raises ValueError for a negative `n`.

    >>> from treadle.cuda.random import create_xoroshiro128p_states
    >>> create_xoroshiro128p_states(2, seed=1).copy_to_host().tolist()
    [(10451216379200822465, 10451216379200822465), (8341117667364343960, 7824662623250379246)]
    """
    states = device_array(n, xoroshiro128p_dtype, stream=stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states
