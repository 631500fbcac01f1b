# Minima and maxima of floats: of a number and NaN, they are the number. Where one side is never NaN, that is one
# instruction.
import math

import numpy as np
from treadle import cuda, float32

from kernels.harness import launch


@cuda.jit
def ordered(x, out):
    """What begins as a number remains one."""
    i = cuda.grid(1)
    if i < x.size:
        # CHECK-PTX-LABEL: .entry {{.*}}ordered
        # CHECK-PTX: max.f32
        most, least = float32(-math.inf), float32(math.inf)
        bound = float32(i)
        for k in range(4):
            most = max(most, x[i - k])
            least = min(x[i - k], least)
            bound = -abs(min(bound, x[i - k]))
        out[i, 0] = most
        out[i, 1] = least
        out[i, 2] = bound
        out[i, 3] = max(most if i % 2 else float32(2.0), x[i])


@cuda.jit
def unordered(x, out):
    """What may be NaN: elements, differences, constants, and what is chosen from them."""
    i = cuda.grid(1)
    if i < x.size:
        first, constant = x[i], float32(math.nan)
        chosen = x[i] if i % 2 else float32(0.5)
        other = float32(0.5) if i % 2 else x[i]
        for k in range(1, 4):
            first = max(first, x[i - k])
            constant = max(x[i - k], constant)
        huge = float32(math.inf) if i % 2 else float32(1.0)
        difference = huge - huge
        out[i, 0] = first
        out[i, 1] = constant
        out[i, 2] = max(difference, x[i])
        out[i, 3] = max(min(chosen, x[i - 1]), min(other, x[i - 1]))


PTX = [(kernel, "(float32[::1], float32[:, ::1])") for kernel in (ordered, unordered)]


def window(x, count, reduce):
    """The minimum or maximum of the numbers among each element and those before it, else NaN."""
    return reduce.reduce([np.roll(x, k) for k in range(count)])


def run():
    values = np.array([1.5, np.nan, -2.0, np.inf, 0.0, -np.inf, np.nan, np.nan, np.nan, np.nan, 7.0], np.float32)
    x = np.tile(values, 13)
    number = np.arange(x.size, dtype=np.float32)
    found = launch(ordered, 5, 32, x, np.zeros((x.size, 4), np.float32))[1]
    most = np.fmax(window(x, 4, np.fmax), np.float32(-np.inf))
    bound = number
    for k in range(4):
        bound = -np.abs(np.fmin(bound, np.roll(x, k)))
    last = np.fmax(np.where(number % 2 == 1, most, 2), x)
    least = np.fmin(window(x, 4, np.fmin), np.float32(np.inf))
    np.testing.assert_array_equal(found, np.stack([most, least, bound, last], axis=1))
    difference = np.where(number % 2 == 1, x, np.fmax(x, np.float32(0)))
    found = launch(unordered, 5, 32, x, np.zeros((x.size, 4), np.float32))[1]
    constant = window(np.roll(x, 1), 3, np.fmax)
    before = np.roll(x, 1)
    both = np.fmax(np.fmin(x, before), np.fmin(np.float32(0.5), before))
    np.testing.assert_array_equal(found, np.stack([window(x, 4, np.fmax), constant, difference, both], axis=1))
