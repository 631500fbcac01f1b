"""`round(x, ndigits)` of float64.

Judged: Python's results, also next to numbers that lie half-way, which scaling by a power of ten takes for ties, and
for digits beyond those of the number.
"""

import random

import numpy as np
from treadle import cuda

DIGITS = (0, 1, 2, 3, 4, 5, 8, 12, 15, -1, -2, -3, -5)


@cuda.jit
def rounded(x, digits, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = round(x[i], digits[i])


def cases(seed, count):
    """Pairs of numbers and digits, most of them half-way or next to it."""
    chosen = random.Random(seed)
    for _ in range(count):
        digits = chosen.choice(DIGITS)
        x = (chosen.randrange(10 ** chosen.randrange(1, 9)) + 0.5) * 10.0**-digits
        if chosen.random() < 0.3:
            x = chosen.uniform(-1e3, 1e3)
        if chosen.random() < 0.3:
            x = float(np.nextafter(x, chosen.choice([-1e300, 1e300])))
        yield x * chosen.choice([-1, 1]), digits


def check(pairs):
    x, digits = (np.array(side) for side in zip(*pairs))
    found = np.zeros_like(x)
    rounded[len(x) // 128 + 1, 128](x, digits, found)
    expected = np.array([round(a, b) for a, b in zip(x.tolist(), digits.tolist())])
    wrong = np.flatnonzero((found != expected) | (np.signbit(found) != np.signbit(expected)))
    assert not len(wrong), [(x[i], digits[i], found[i], expected[i]) for i in wrong[:5]]


def test_as_python():
    check(list(cases(5, 20_000)))


def test_extremes():
    check([(1.5, -400), (1.5, 400), (-1.5, -309), (0.0, 2), (-0.0, 2), (2.675, 2), (1e308, 5), (1e308, -308)])
    check([(-0.5, 0), (0.5, 0), (1e-320, 3), (-0.049999999999999996, 1), (2.0**53 + 2, 1), (2.0**60, -1)])


def test_no_numbers():
    x = np.array([np.nan, np.inf, -np.inf])
    found = np.zeros(3)
    rounded[1, 32](x, np.array([2, -1, 30]), found)
    np.testing.assert_array_equal(found, x)
