# How many kernels are made for arrays whose rows have different lengths.
import numpy as np
import pytest
from treadle import cuda


def variants_of(kernel, widths, columns=()):
    for width in widths:
        kernel[1, 32](np.ones((4, width, *columns), np.float32), np.zeros(4, np.float32))
    (metadata,) = kernel.get_metadata().values()
    return metadata["variants"]


def constants(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i, 1]


def from_the_end(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i, -1]


def short_loop(x, out):
    i = cuda.grid(1)
    if i < out.size:
        for k in range(2):
            out[i] += x[i, k]


def loop_over_the_row(x, out):
    i = cuda.grid(1)
    if i < out.size:
        for k in range(x.shape[1]):
            out[i] += x[i, k]


def whole_row(x, out):
    i = cuda.grid(1)
    if i < out.size:
        row = x[i]
        out[i] = row[1]


def one_column(x, out):
    i = cuda.grid(1)
    column = x[:, 1]
    if i < out.size:
        out[i] = column[i]


@cuda.jit(device=True)
def second(array, i):
    return array[i, 1]


def in_a_function(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = second(x, i)


def stored(x, out):
    i = cuda.grid(1)
    if i < out.size:
        x[i, 0] = out[i]


def added(x, out):
    i = cuda.grid(1)
    if i < out.size:
        cuda.atomic.add(x, (i, 0), out[i])


@pytest.mark.parametrize(
    "function",
    [constants, from_the_end, short_loop, loop_over_the_row, whole_row, one_column, in_a_function, stored, added],
    ids=lambda function: function.__name__,
)
def test_two_lengths_have_kernels_of_their_own(function):
    kernel = cuda.jit(function)
    assert variants_of(kernel, [3, 3]) == 1
    assert variants_of(kernel, [2]) == 2
    assert variants_of(kernel, [4, 17, 5, 3, 18, 2, 16]) == 3


def test_rows_before_the_last_axis():
    @cuda.jit
    def of_matrices(x, out):
        i = cuda.grid(1)
        if i < out.size:
            for k in range(x.shape[1]):
                out[i] += x[i, k, i]

    assert variants_of(of_matrices, [3, 2], columns=(40,)) == 2
    # The columns are indexed by position.
    assert variants_of(of_matrices, [3, 2], columns=(8,)) == 2


def by_position(x, out):
    column, row = cuda.grid(2)
    if row < x.shape[0] and column < x.shape[1]:
        cuda.atomic.add(out, row, x[row, column])


def long_loop(x, out):
    i = cuda.grid(1)
    if i < out.size:
        for k in range(out.size):
            out[i] += x[k % x.shape[0], 0 if k < 0 else k % x.shape[1]]


@pytest.mark.parametrize("function", [by_position, long_loop], ids=lambda function: function.__name__)
def test_other_kernels_serve_all_lengths(function):
    assert variants_of(cuda.jit(function), [2, 3, 4, 20]) == 1


def test_rows_indexed_by_position_do_not_count():
    @cuda.jit
    def of_both(x, y, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i, 0] + y[i, i]

    for width in (4, 5, 6, 7):
        of_both[1, 32](np.ones((4, 3)), np.ones((4, width)), np.zeros(4))
    (metadata,) = of_both.get_metadata().values()
    assert metadata["variants"] == 1


def test_strided_rows_are_of_any_length():
    kernel = cuda.jit(constants)
    for width in (2, 3, 4):
        kernel[1, 32](np.ones((4, 2 * width), np.float32)[:, ::2], np.zeros(4, np.float32))
    (metadata,) = kernel.get_metadata().values()
    assert metadata["variants"] == 1
