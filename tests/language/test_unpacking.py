# Unpacking and slice assignment: what Python raises, kernels with debug raise, and say where; records; expressions.

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import CompileError


def first_row(x, out):
    a, b, c = x[0]
    out[0] = a + b + c


def strided_row(x, out):
    a, b, c = x[1, ::2]
    out[0] = a + b + c


def some_range(x, out):
    a, b, c = range(x.shape[1])
    out[0] = a + b + c


def difference(x, out):
    a, b, c = x[0] - x[1]
    out[0] = a + b * c


def into_a_slice(x, out):
    x[:, 0] = 1, 2, 3


def into_both_axes(x, out):
    x[:2, :] = (1, 2, 3), (4, 5, 6)


def nothing_into_a_row(x, out):
    x[0] = ()


# Each with a shape for which Python unpacks, and one for which it does not.
CASES = [
    (first_row, (1, 3), (1, 2)),
    (strided_row, (2, 5), (2, 4)),
    (some_range, (1, 3), (1, 4)),
    (difference, (2, 3), (2, 4)),
    (into_a_slice, (3, 1), (2, 1)),
    (into_both_axes, (2, 3), (2, 4)),
    (nothing_into_a_row, (1, 0), (1, 1)),
]


@pytest.mark.parametrize("function, right, wrong", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_a_length_that_does_not_fit_is_an_error_with_debug(rules, function, right, wrong):
    kernel = cuda.jit(function, rules=rules, debug=True)
    x = np.arange(np.prod(right), dtype=np.float64).reshape(right)
    expected, found = (x.copy(), np.zeros(1)), (x.copy(), np.zeros(1))
    function(*expected)
    kernel[1, 1](*found)
    assert found[0].tolist() == expected[0].tolist()
    assert found[1].tolist() == expected[1].tolist()
    with pytest.raises(ValueError):
        function(np.zeros(wrong), np.zeros(1))
    place = rf"in line {function.__code__.co_firstlineno + 1}, column 5 of {function.__name__}"
    with pytest.raises(ValueError, match=rf"^tid=\[0, 0, 0\].* {place} \(.*test_unpacking.py\)$"):
        kernel[1, 1](np.zeros(wrong), np.zeros(1))


def test_only_the_threads_that_unpack_are_checked(rules):
    def kernel(x, lengths, out):
        i = cuda.grid(1)
        if i < out.size and lengths[i] == 2:
            a, b = x[i, : lengths[i]]
            out[i] = a - b
            x[i, : lengths[i]] = b, a

    lengths = np.arange(40) % 3
    x = np.random.default_rng(1).integers(0, 100, (40, 3))
    wanted, out = x.copy(), np.zeros(40, np.int64)
    cuda.jit(kernel, rules=rules, debug=True)[2, 32](x, lengths, out)
    chosen = lengths == 2
    assert out.tolist() == np.where(chosen, wanted[:, 0] - wanted[:, 1], 0).tolist()
    wanted[chosen, :2] = wanted[chosen, 1::-1]
    assert x.tolist() == wanted.tolist()


@pytest.mark.parametrize("length", [0, 2, 4])
def test_without_debug_values_beyond_the_slice_are_left_out(rules, length):
    def kernel(x):
        x[:] = 7, 8, 9

    whole = np.zeros(6)
    cuda.jit(kernel, rules=rules)[1, 1](whole[:length])
    assert whole.tolist() == ([7, 8, 9][:length] + [0] * 6)[:6]


def test_records_and_their_fields(rules):
    def kernel(points, rows):
        i = cuda.grid(1)
        if i < points.size:
            p = points[i]
            p.x, p.y, (p["z"],) = rows[i, 1], p.x, rows[i, 2:]
            rows[i, 0], _, rows[i, 1] = p.at
            first, last = points[:: points.size - 1]
            rows[i, 2] = last.k - first.k
            p.at[1:] = p.k, 5

    dtype = np.dtype([("x", "f4"), ("y", "f8"), ("z", "i2"), ("k", "i4"), ("at", "f4", (3,))])
    points, rows = np.zeros(40, dtype), np.arange(120.0).reshape(40, 3)
    points["k"], points["x"] = np.arange(40), 3
    points["at"] = np.arange(120).reshape(40, 3)
    wanted = rows.copy()
    cuda.jit(kernel, rules=rules)[2, 32](points, rows)
    assert points["x"].tolist() == wanted[:, 1].tolist()
    assert points["y"].tolist() == [3] * 40
    assert points["z"].tolist() == wanted[:, 2].tolist()
    assert rows.tolist() == [[3 * i, 3 * i + 2, 39] for i in range(40)]
    assert points["at"].tolist() == [[3 * i, i, 5] for i in range(40)]


def test_an_array_expression_is_unpacked_before_its_operands_change(rules):
    def kernel(x, y):
        i = cuda.grid(1)
        if i < x.shape[0]:
            x[i, 0], x[i, 1], x[i, 2] = x[i, ::-1] * 2 + y[i]
            (a, b), c = y[i, :2] - x[i, 1:], y[i, 0] ** 2
            y[i, 0], y[i, 1], y[i, 2] = b, a, c

    rng = np.random.default_rng(2)
    x, y = rng.integers(-9, 9, (40, 3)), rng.integers(-9, 9, (40, 3))
    wanted_x = x[:, ::-1] * 2 + y
    wanted_y = np.stack([y[:, 1] - wanted_x[:, 2], y[:, 0] - wanted_x[:, 1], y[:, 0] ** 2], axis=1)
    cuda.jit(kernel, rules=rules)[2, 32](x, y)
    assert x.tolist() == wanted_x.tolist()
    assert y.tolist() == wanted_y.tolist()


@pytest.mark.parametrize(
    "statement, message",
    [
        ("a, b = x + x", "rows of an array expression"),
        ("a, b = zip(x, x)", "only a tuple or an array can be unpacked"),
        ("a, b = x[0, 0]", "only a tuple or an array can be unpacked"),
        ("x[:, 0:2] = 1, (3, 4)", "different numbers of axes"),
        ("x[0, 0:2] = (1, 2), (3, 4)", "more axes"),
        ("x[0, 0:2] = 1j, 2", "cannot be stored"),
        ("x[0, 0:2] = 'ab', 'cd'", "cannot be stored"),
    ],
)
def test_refused(rules, statement, message):
    namespace = {"cuda": cuda}
    exec(f"def kernel(x):\n    {statement}\n", namespace)
    with pytest.raises(CompileError, match=message) as caught:
        cuda.jit(namespace["kernel"], rules=rules)[1, 1](np.zeros((3, 3)))
    assert caught.value.line == 2
