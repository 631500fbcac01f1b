# "No-Python Mode": what the statically typed subset contains, and what it rejects.

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import CompileError, UnsupportedError


def compiles(rules, function, *arguments):
    cuda.jit(function, rules=rules)[1, 32](*arguments)


def test_booleans_integers_floats_complex_numbers_and_arrays_are_supported(rules):
    @cuda.jit(rules=rules)
    def kernel(flag, n, x, z, a, out):
        if flag and cuda.grid(1) == 0:
            out[0] = n + x * z.real + a[1]

    out = np.zeros(1)
    kernel[1, 32](True, 2, 0.5, 4 + 1j, np.arange(3.0), out)
    assert out[0] == 5


def test_objects_are_not_supported(rules):
    class Box:
        value = 1

    def kernel(box, out):
        out[0] = box.value

    with pytest.raises(TypeError, match="Box"):
        compiles(rules, kernel, Box(), np.zeros(1))


def test_exceptions_are_not_supported(rules):
    def kernel(out):
        try:
            out[0] = 1
        except ValueError:
            out[0] = 2

    with pytest.raises(UnsupportedError, match="try"):
        compiles(rules, kernel, np.zeros(1))


def test_for_runs_over_range(rules):
    @cuda.jit(rules=rules)
    def kernel(out):
        for i in range(10):
            out[i] = i

    out = np.zeros(10)
    kernel[1, 1](out)
    assert out.tolist() == list(range(10))


def test_for_runs_over_xrange(rules):
    @cuda.jit(rules=rules)
    def kernel(out):
        for i in xrange(2, 10, 3):  # noqa: F821
            out[i] = i

    out = np.zeros(10)
    kernel[1, 1](out)
    assert out.tolist() == [0, 0, 2, 0, 0, 5, 0, 0, 8, 0]


def test_for_over_anything_else_is_refused(rules):
    def kernel(n, out):
        for i in n:
            out[0] = i

    with pytest.raises(CompileError):
        compiles(rules, kernel, 3, np.zeros(1))


def test_shape_and_strides_unpack(rules):
    @cuda.jit(rules=rules)
    def kernel(a, out):
        rows, columns = a.shape
        down, right = a.strides
        out[0], out[1], out[2], out[3] = rows, columns, down, right

    out = np.zeros(4, np.int64)
    kernel[1, 1](np.zeros((3, 5), np.float32), out)
    assert out.tolist() == [3, 5, 20, 4]


def test_results_of_calls_unpack(rules):
    pair = cuda.jit(lambda a, b: (a + b, a - b), device=True, rules=rules)

    @cuda.jit(rules=rules)
    def kernel(out):
        out[0], out[1] = pair(7, 2)

    out = np.zeros(2, np.int64)
    kernel[1, 1](out)
    assert out.tolist() == [9, 5]


def test_the_full_language_stays_available(rules):
    """The specification is a minimum: tuples, slices of tuples, row views, conditional expressions work as well."""

    @cuda.jit(rules=rules)
    def kernel(a, out):
        t = (1, 2, 3)
        row = a[1]
        out[0] = t[-1] + row[0] if len(row) > 1 else 0

    out = np.zeros(1, np.int64)
    kernel[1, 1](np.arange(6).reshape(2, 3), out)
    assert out[0] == 6
