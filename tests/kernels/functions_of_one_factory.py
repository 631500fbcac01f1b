# Functions of one code object: each has its own closure, globals and arrays; equal ones are compiled once.
import types

import numpy as np
from treadle import cuda

from kernels.harness import check


def scaled_by(factor, inline="auto"):
    @cuda.jit(device=True, inline=inline)
    def scaled(a):
        return a * factor

    return scaled


def composed(f, g):
    @cuda.jit(device=True)
    def h(a):
        return f(g(a))

    return h


def looked_up_in(table, sign):
    @cuda.jit(device=True)
    def looked_up(a):
        def signed(v, more=1):
            return (v + more) * sign

        return table[a % 4] * 100 + signed(a) + (lambda v: v + sign)(a)

    return looked_up


def falling(step):
    @cuda.jit(device=True)
    def sum_down(n):
        if n <= 0:
            return 0
        return n + sum_down(n - step)

    return sum_down


class Line:
    def __init__(self, slope, table):
        self.slope = slope
        self.table = table

    def function(self):
        @cuda.jit(device=True)
        def at(a):
            return a * self.slope + self.table[1]

        return at


def elsewhere(function, **names):
    """The same code with other globals."""
    return cuda.jit(device=True)(types.FunctionType(function.__code__, {**function.__globals__, **names}))


def plus_global(a):
    return a + OFFSET  # noqa: F821


five, seven, five_again = scaled_by(5), scaled_by(7), scaled_by(5)
minus_zero, zero = scaled_by(-0.0), scaled_by(0.0)
chain = composed(five, composed(seven, composed(scaled_by(2), five_again)))
pairs = composed(scaled_by((1, 2)[0]), composed(scaled_by(True), scaled_by(np.int8(3))))
TABLE = np.arange(4)
here, there, mirrored = looked_up_in(TABLE, 1), looked_up_in(TABLE * 7, 1), looked_up_in(TABLE, -1)
by_one, by_three = falling(1), falling(3)
flat, steep = Line(1, np.zeros(2, np.int64)), Line(9, np.full(2, 50))
flat_at, steep_at = flat.function(), steep.function()
near, far = elsewhere(plus_global, OFFSET=1), elsewhere(plus_global, OFFSET=1000)


@cuda.jit(device=True)
def applied(f, a):
    return f(f(a))


@cuda.jit
def numbers_and_functions(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = five(x[i]) * 1000 + seven(x[i])
        out[1, i] = chain(x[i])
        out[2, i] = pairs(x[i])
        out[3, i] = applied(five, x[i]) + applied(seven, x[i])
        out[4, i] = near(x[i]) * 10000 + far(x[i])
        out[5, i] = flat_at(x[i]) * 10000 + steep_at(x[i])


@cuda.jit
def nested_functions_arrays_and_recursion(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = here(x[i])
        out[1, i] = there(x[i])
        out[2, i] = by_one(x[i] % 20) * 1000 + by_three(x[i] % 20)
        out[4, i] = mirrored(x[i])
        out[3, i] = steep.table[0] * 1000 + flat.table[0]


KERNELS = [numbers_and_functions, nested_functions_arrays_and_recursion]
PTX = [(kernel, "(int64[::1], int64[:, ::1])") for kernel in KERNELS]


def instances(*factors):
    """The number of functions in the PTX of a kernel that calls one per factor."""
    first, second, third = (scaled_by(factor, inline="never") for factor in factors)

    @cuda.jit
    def kernel(x):
        x[0] = first(x[0]) + second(x[1]) + third(x[2])

    ptx, _ = cuda.compile_ptx(kernel.py_func, "(float64[::1],)", cc=(9, 0))
    return sum(line.startswith(".func") and not line.endswith(";") for line in ptx.replace(")\n;", ");").splitlines())


def run():
    for kernel in KERNELS:
        check(kernel, 2, 32, np.arange(40), np.zeros((6, 40), np.int64))
    assert [instances(3, 3, 3), instances(3, 4, 3), instances(0.0, -0.0, np.nan), instances(1, True, 1.0)] == [
        1,
        2,
        3,
        3,
    ]
