# float16 with float16 under both rules, as NumPy computes: arithmetic, comparisons, min and max, powers, signs.
import numpy as np
from oracle import operations as ops
from treadle import cuda, float16

from kernels.halves import all_halves, launch, pairs, same


@cuda.jit
def numbers(x, y, total, difference, product, quotient, floor, rest, low, high):
    i = cuda.grid(1)
    if i < x.size:
        total[i] = x[i] + y[i]
        difference[i] = x[i] - y[i]
        product[i] = x[i] * y[i]
        quotient[i] = x[i] / y[i]
        floor[i] = x[i] // y[i]
        rest[i] = x[i] % y[i]
        low[i] = min(x[i], y[i])
        high[i] = max(x[i], y[i])


@cuda.jit(rules="cuda-python")
def narrow(x, y, total, difference, product, quotient, floor, rest, low, high):
    i = cuda.grid(1)
    if i < x.size:
        total[i] = x[i] + y[i]
        difference[i] = x[i] - y[i]
        product[i] = x[i] * y[i]
        quotient[i] = x[i] / y[i]
        floor[i] = x[i] // y[i]
        rest[i] = x[i] % y[i]
        low[i] = min(x[i], y[i])
        high[i] = max(x[i], y[i])


@cuda.jit
def comparisons(x, y, equal, other, less, at_most, more, at_least):
    i = cuda.grid(1)
    if i < x.size:
        equal[i] = x[i] == y[i]
        other[i] = x[i] != y[i]
        less[i] = x[i] < y[i]
        at_most[i] = x[i] <= y[i]
        more[i] = x[i] > y[i]
        at_least[i] = x[i] >= y[i]


@cuda.jit
def signs(x, minus, plus, size, nothing, square, cube, inverse, augmented):
    i = cuda.grid(1)
    if i < x.size:
        minus[i] = -x[i]
        plus[i] = +x[i]
        size[i] = abs(x[i])
        nothing[i] = not x[i]
        square[i] = x[i] ** 2
        cube[i] = x[i] ** 3
        inverse[i] = x[i] ** -1
        augmented[i] = x[i]
        augmented[i] += float16(1)
        augmented[i] *= x[i]


HALF = "float16[::1]"
PTX = [
    (numbers, f"({', '.join([HALF] * 10)})"),
    (narrow, f"({', '.join([HALF] * 5)}, float32[::1], int32[::1], {', '.join([HALF] * 3)})"),
    (comparisons, f"({HALF}, {HALF}, {', '.join(['bool[::1]'] * 6)})"),
    (signs, f"({', '.join([HALF] * 4)}, bool[::1], {', '.join([HALF] * 4)})"),
]
TARGETS = ("sm_75", "sm_80", "sm_90")


def floors(x, y):
    """`//` and `%` of some pairs, by the oracle. In float32 quotients above 8192 need not be exact."""
    values = list(zip(x.tolist(), y.tolist(), strict=True))
    floor = [ops._floor_divide(a, b, "float16") for a, b in values]
    rest = [ops._modulo(a, b, "float16") for a, b in values]
    whole = [ops._floor_to_int(a, b, "int32") for a, b in values]
    return np.array(floor, np.float16), np.array(rest, np.float16), whole


def extremes(x, y):
    """The operand that is not NaN; the sign of a zero is not compared."""
    return np.fmin(x, y) + np.float16(0), np.fmax(x, y) + np.float16(0)


def check_numbers():
    x, y = pairs()
    found = launch(numbers, x, y, results=[np.float16] * 8)
    expected = [x + y, x - y, x * y, x / y]
    for name, ours, theirs in zip("+-*/", found[:4], expected, strict=True):
        same(name, ours, theirs, x, y)
    floor, rest, _ = floors(x[::11], y[::11])
    same("//", found[4][::11], floor, x[::11], y[::11])
    same("%", found[5][::11], rest, x[::11], y[::11])
    for name, ours, theirs in zip(("min", "max"), found[6:], extremes(x, y), strict=True):
        same(name, ours + np.float16(0), theirs, x, y)


def check_narrow():
    x, y = pairs()
    found = launch(narrow, x, y, results=[np.float16] * 3 + [np.float32, np.int32] + [np.float16] * 3)
    expected = [x + y, x - y, x * y, x.astype(np.float32) / y.astype(np.float32)]
    for name, ours, theirs in zip("+-*/", found[:4], expected, strict=True):
        same(name, ours, theirs, x, y)
    _, rest, whole = floors(x[::11], y[::11])
    close = [
        expected is ops.ANY or abs(ours - expected) <= (abs(expected) > 8192) + abs(expected) / 2**23
        for ours, expected in zip(found[4][::11].tolist(), whole, strict=True)
    ]
    assert all(close), close.count(False)
    same("%", found[5][::11], rest, x[::11], y[::11])
    for name, ours, theirs in zip(("min", "max"), found[6:], extremes(x, y), strict=True):
        same(name, ours + np.float16(0), theirs, x, y)


def check_comparisons():
    x, y = pairs()
    found = launch(comparisons, x, y, results=[np.bool_] * 6)
    for ours, theirs in zip(found, [x == y, x != y, x < y, x <= y, x > y, x >= y], strict=True):
        np.testing.assert_array_equal(ours, theirs)


def powers(x, exponent):
    """Rounded from float64: products of a few halves are exact there."""
    return (x.astype(np.float64) ** exponent).astype(np.float16)


def check_signs():
    x = all_halves()
    minus, plus, size, nothing, *found = launch(signs, x, results=[np.float16] * 3 + [np.bool_] + [np.float16] * 4)
    np.testing.assert_array_equal(minus.view("u2")[x == x], (x.view("u2") ^ 0x8000)[x == x])
    np.testing.assert_array_equal(plus.view("u2")[x == x], x.view("u2")[x == x])
    np.testing.assert_array_equal(size.view("u2")[x == x], (x.view("u2") & 0x7FFF)[x == x])
    np.testing.assert_array_equal(nothing, x == 0)
    same("x ** 2", found[0], powers(x, 2), x)
    cubes = np.abs(found[1].view("u2").astype(int) - powers(x, 3).view("u2")) <= 1
    assert (cubes | (x != x)).all()
    same("x ** -1", found[2], np.float16(1) / x, x)
    same("augmented", found[3], (x + np.float16(1)) * x, x)


def run():
    with np.errstate(all="ignore"):
        check_numbers()
        check_narrow()
        check_comparisons()
        check_signs()
