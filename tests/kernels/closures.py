# Nested functions and lambdas with variables of the functions around them: handed on, returned, kept, chosen, captured.
import math

import numpy as np
from treadle import cuda, float64

from kernels.harness import check


@cuda.jit(device=True)
def apply(function, x):
    return function(x)


@cuda.jit(device=True)
def apply_twice(function, x):
    return apply(function, x) + apply(lambda v: function(v) * 2, x)


@cuda.jit(device=True)
def adder(n):
    def add(x):
        return x + n

    return add


@cuda.jit(device=True)
def compose(f, g):
    return lambda x: f(g(x))


@cuda.jit(device=True)
def square(x):
    return x * x


@cuda.jit
def handed_on(x, out):
    i = cuda.grid(1)
    if i < x.size:
        n = i + 3

        def f(v):
            return v * n + x[0]

        out[i, 0] = apply(f, 2) + apply_twice(f, x[i]) + apply(lambda v: v - n, 1)
        if i % 3 == 1:
            out[i, 1] = apply(square, i) + apply(compose(f, square), 2)
        for k in range(i % 4):
            out[i, 2] += apply(lambda v: v * i + k, 10)


@cuda.jit
def returned(x, out):
    i = cuda.grid(1)
    if i < x.size:
        f, g = adder(3), adder(x[i])
        n = 1
        h = adder(n)
        n = i
        out[i, 0] = f(1) + 10 * apply(g, 2) + 100 * compose(f, g)(1) + 1000 * adder(1)(2)
        out[i, 1] = compose(compose(f, g), adder(n))(i) + h(5)

        def outer(a):
            def inner(b):
                return a * 10 + b + k

            return inner

        k = x[i] % 5
        kept = outer(4)
        out[i, 2] = outer(i)(2) + kept(5) + apply(kept, 6)


@cuda.jit
def kept(x, out):
    i = cuda.grid(1)
    if i < x.size:
        n = x[i] + 1
        functions = (adder(1), square, lambda v: v - n)
        out[i, 0] = functions[0](1) + functions[1](i) + functions[2](1)
        last, (first, m) = functions[-1], (functions[0], 4)
        out[i, 1] = last(m) * first(m)
        for f in (adder(1), adder(2), adder(i)):
            out[i, 2] = out[i, 2] * 3 + f(n)
        for f in (adder(1), square, abs, lambda v: -v):
            out[i, 3] = out[i, 3] * 3 + f(n)
        chosen = adder(1) if x[i] > 5 else adder(10)
        out[i, 4] = chosen(i) + (adder(i) if i % 2 else adder(n))(1)
        if i % 5 == 0:
            chosen = adder(i)
        out[i, 5] = apply(chosen, 1)


@cuda.jit
def late_binding(out):
    """Called by its own name, a function sees what its variables are then."""
    i = cuda.grid(1)
    if i < out.shape[0]:
        n = i

        def f():
            return n

        out[i, 0] = f()
        n = 7
        out[i, 1] = f() + apply(lambda v: v + n, 1)
        for n in range(2, 2 + i % 4):  # noqa: B007
            out[i, 2] = out[i, 2] * 10 + f()
        while n > 3:
            n -= 1
            if f() == i % 4:
                break
        out[i, 3] = f()


@cuda.jit
def arrays_and_tuples(x, out):
    i = cuda.grid(1)
    sums = cuda.local.array(2, float64)
    sums[0] = sums[1] = 0
    if i < x.shape[0]:
        row, pair = x[i, 1:], (1, 2.5)

        def push(k):
            sums[k % 2] += row[k] * pair[1]
            return pair[0]

        count = 0
        for k in range(row.size):
            count += apply(push, k)
        out[i, 0], out[i, 1], out[i, 2] = sums[0], sums[1], count
        out[i, 3] = apply(compose(lambda v: row[int(v)], math.sqrt), 4.0)

        def factorial(n):
            return 1 if n < 2 else n * factorial(n - 1)

        out[i, 4] = factorial(i % 6) + apply(lambda v: factorial(v) + push(0), 3)

        def many(*values):
            return values[-1] * len(values) + i

        out[i, 5] = many(1, 2, row[0])


PTX = [
    (handed_on, "(int64[::1], int64[:, ::1])"),
    (returned, "(int64[::1], int64[:, ::1])"),
    (kept, "(int64[::1], int64[:, ::1])"),
    (late_binding, "(int64[:, ::1],)"),
    (arrays_and_tuples, "(float64[:, :], float64[:, ::1])"),
]


def run():
    n = 77
    x = np.arange(n) * 7 % 13
    for kernel in (handed_on, returned, kept):
        check(kernel, 3, 32, x, np.zeros((n, 6), np.int64))
    check(late_binding, 3, 32, np.zeros((n, 4), np.int64))
    check(arrays_and_tuples, 3, 32, (np.arange(n * 4) % 11.0).reshape(n, 4), np.zeros((n, 6)))
