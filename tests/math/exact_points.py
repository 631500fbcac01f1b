# Operands at which functions have results that floats represent: they are to come out exactly, on every device.
"""The results are computed in whole numbers and fractions."""

import math
from fractions import Fraction

import numpy as np
import points

INFINITE = math.inf
AT_ENDS = {
    "acos": [(1, 0)],
    "asin": [(0, 0)],
    "atan": [(0, 0)],
    "acosh": [(1, 0), (INFINITE, INFINITE)],
    "asinh": [(0, 0), (INFINITE, INFINITE)],
    "atanh": [(0, 0), (1, INFINITE), (-1, -INFINITE)],
    "cos": [(0, 1)],
    "sin": [(0, 0)],
    "tan": [(0, 0)],
    "cosh": [(0, 1), (INFINITE, INFINITE), (-INFINITE, INFINITE)],
    "sinh": [(0, 0), (INFINITE, INFINITE), (-INFINITE, -INFINITE)],
    "tanh": [(0, 0), (INFINITE, 1), (-INFINITE, -1), (60, 1), (-60, -1)],
    "exp": [(0, 1), (INFINITE, INFINITE), (-INFINITE, 0)],
    "expm1": [(0, 0), (INFINITE, INFINITE), (-INFINITE, -1), (-90, -1)],
    "log": [(1, 0), (0, -INFINITE), (INFINITE, INFINITE)],
    "log1p": [(0, 0), (-1, -INFINITE), (INFINITE, INFINITE)],
    "erf": [(0, 0), (INFINITE, 1), (-INFINITE, -1), (9, 1), (-9, -1)],
    "erfc": [(0, 1), (INFINITE, 0), (-INFINITE, 2), (-9, 2)],
    "lgamma": [(1, 0), (2, 0), (INFINITE, INFINITE)],
    "sqrt": [(n * n, n) for n in range(2000)] + [(Fraction(n * n, 2**40), Fraction(n, 2**20)) for n in range(2000)],
    "fabs": [(-n, n) for n in range(9)],
    "ceil": [(Fraction(n, 2), -(-n // 2)) for n in range(-9, 10)],
    "floor": [(Fraction(n, 2), n // 2) for n in range(-9, 10)],
    "trunc": [(Fraction(n, 2), int(Fraction(n, 2))) for n in range(-9, 10)],
    "atan2": [((0, 1), 0), ((0, 7), 0), ((0, INFINITE), 0), ((3, INFINITE), 0)],
    "copysign": [((3, -2), -3)],
    "fmod": [((n, 7), n % 7) for n in range(200)],
}  # fmt: skip


def _powers():
    """Whole powers and roots of whole numbers, and of these divided by powers of 2."""
    for base in range(1, 41):
        for exponent in range(64):
            for sign in (1, -1):
                yield (sign * base, exponent), (sign * base) ** exponent
            yield (Fraction(base, 2), exponent), Fraction(base, 2) ** exponent
    for root in range(1, 2000):
        for exponent in (2, 4, 8):
            yield (root**exponent, Fraction(1, exponent)), root
        yield (root * root, Fraction(3, 2)), root**3
        yield (Fraction(root * root, 2**30), Fraction(1, 2)), Fraction(root, 2**15)
    for exponent in range(-1074, 1024):
        yield (2, exponent), Fraction(2) ** exponent
        yield (Fraction(1, 2), exponent), Fraction(2) ** -exponent
        yield (4, Fraction(exponent, 2)), Fraction(2) ** exponent
    for base in range(2, 2000):
        yield (base, 1), base
        yield (base, 2), base * base
        yield (1, base), 1


def _triples():
    for a in range(1, 200):
        yield (a, 0), a
        for b in range(a, 200):
            c = math.isqrt(a * a + b * b)
            if c * c == a * a + b * b:
                yield (a, -b), c
                yield (Fraction(b, 2**20), Fraction(a, 2**20)), Fraction(c, 2**20)


EXACT = {
    **AT_ENDS,
    "pow": _powers,
    "hypot": _triples,
    "log2": lambda: ((Fraction(2) ** n, n) for n in range(-1074, 1024)),
    "exp2": lambda: ((n, Fraction(2) ** n) for n in range(-1074, 1024)),
    "log10": lambda: ((10**n, n) for n in range(23)),
    "cbrt": lambda: ((sign * n**3 * Fraction(8) ** k, sign * n * Fraction(2) ** k)
                     for n in range(2000) for sign in (1, -1) for k in (-20, 0, 7)),
    "tgamma": lambda: ((n, math.factorial(n - 1)) for n in range(1, 24)),
}  # fmt: skip


def _is_exact(value, number):
    try:
        with np.errstate(over="ignore"):
            converted = float(number(float(value)))
    except OverflowError:
        return False
    return math.isinf(value) or math.isfinite(converted) and Fraction(converted) == value


def exact_points(function, kind):
    """(operands, results): those of the points whose numbers the type represents."""
    number, rows = points.FLOATS[kind], EXACT[function]
    kept = []
    for operands, result in rows() if callable(rows) else rows:
        given = operands if isinstance(operands, tuple) else (operands,)
        if all(_is_exact(value, number) for value in (*given, result)):
            kept.append((*map(float, given), float(result)))
    sides = [np.array(side, number) for side in zip(*kept, strict=True)]
    return sides[:-1], sides[-1]


def inexact(operands, found, results):
    """The first few points at which another result was found, as text."""
    wrong = np.flatnonzero(found != results)
    shown = [
        f"{[side[i].item() for side in operands]}: {found[i].item()!r} for {results[i].item()!r}" for i in wrong[:4]
    ]
    return f"{len(wrong)} of {len(results)}: " + ", ".join(shown) if shown else ""
